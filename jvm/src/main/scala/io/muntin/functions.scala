package io.muntin

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{Column, DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.expressions.{Window, WindowSpec}
import org.apache.spark.sql.functions.{call_function, col, lit}
import org.apache.spark.sql.muntin.spark.MuntinIllegalArgumentException

/**
 * Muntin's functions for DataFrame code, in a session that has Muntin: each is one call of the SQL
 * function of its name, or puts some together.
 *
 * {{{
 *   import io.muntin.functions._
 *
 *   readings.withColumn("recent", sliding(avg($"x"), 20, $"x" > 0).over(w))
 * }}}
 */
object functions extends SqlFunctions {

  /**
   * Each row of `left` with the row of `right` that was current at its time: a join by `asof`.
   *
   * {{{
   *   asofJoin(trades, quotes, "at", by = Seq("symbol"), tolerance = lit("10 minutes"))
   * }}}
   *
   * @param on
   *   the times: the name of a column that both have; of other names, write the join with `asof`
   * @param by
   *   names of columns that both have and that must be equal; the result has them once
   * @param how
   *   "left", "inner", "left_semi" or "left_anti"
   * @param suffix
   *   the suffix of other columns of `right` whose name `left` has, too
   */
  def asofJoin(
      left: Dataset[_],
      right: Dataset[_],
      on: String,
      by: Seq[String] = Nil,
      direction: String = "backward",
      tolerance: Column = Call.absent,
      strict: Boolean = false,
      how: String = "left",
      suffix: String = "_right"
  ): DataFrame =
    AsOfJoin(left, right, on, by, asof(_, _, direction, tolerance, strict), how, suffix)

  /**
   * A window by time: the rows from `first` before (or, positive, after) the current row's time
   * until `last`, both ends included.
   *
   * {{{
   *   avg($"x").over(over(Seq($"sensor"), $"t", Duration.ofHours(-1), Duration.ZERO))
   * }}}
   *
   * @param orderBy
   *   a TIMESTAMP, TIMESTAMP_NTZ or DATE, ascending
   */
  def over(
      partitionBy: Seq[Column],
      orderBy: Column,
      first: Duration,
      last: Duration
  ): WindowSpec =
    Window.partitionBy(partitionBy: _*).orderBy(rowTime(orderBy)).rangeBetween(
      micros(first),
      micros(last)
    )

  /** The same by durations such as `"-1 hour"` and `"0 seconds"`. */
  def over(partitionBy: Seq[Column], orderBy: Column, first: String, last: String): WindowSpec =
    over(partitionBy, orderBy, Durations("over", "first", first), Durations("over", "last", last))

  /** The same for Java. */
  def over(
      partitionBy: java.util.List[Column],
      orderBy: Column,
      first: Duration,
      last: Duration
  ): WindowSpec = over(partitionBy.asScala.toSeq, orderBy, first, last)

  /**
   * A window of GROUPS of peers, the rows that are equal in `orderBy`: those from `first` groups
   * before (or, positive, after) the current row's own until `last`, both included.
   * `Window.unboundedPreceding` and `Window.unboundedFollowing` are the partition's ends.
   *
   * {{{
   *   sum($"x").over(over(Seq($"shop"), Seq($"day"), (-2L, 0L), exclude = "current row"))
   * }}}
   *
   * @param exclude
   *   which rows are left out: "no others", "current row", "group" or "ties"
   */
  def over(
      partitionBy: Seq[Column],
      orderBy: Seq[Column],
      groups: (Long, Long),
      exclude: String = "no others"
  ): WindowSpec = {
    if (orderBy.isEmpty) {
      throw new MuntinIllegalArgumentException("MUNTIN_FRAME_WITHOUT_ORDER", "frame" -> "groups")
    }
    val words = Seq("no others", "current row", "group", "ties")
    if (!words.contains(exclude)) {
      throw Invalid("over", "exclude", s"'$exclude'", s"one of ${words.mkString("'", "', '", "'")}")
    }
    val mark = call_function("_muntin_frame", lit("groups"), lit(exclude))
    Window.partitionBy(partitionBy: _*).orderBy(orderBy :+ mark: _*)
      .rowsBetween(groups._1, groups._2)
  }

  /**
   * A rolling average, sum or any aggregate of the last `size` rows, the current one among them;
   * null for earlier rows, which `complete` drops. Do not add an OVER clause.
   */
  def rolling(agg: Column, size: Int, partitionBy: Seq[Column], orderBy: Column*): Column =
    rolling(agg, size, partitionBy, orderBy.toSeq)

  /** The same of the rows from `size` before the current row's time up to it, always. */
  def rolling(agg: Column, size: Duration, partitionBy: Seq[Column], orderBy: Column): Column =
    rolling(agg, size, partitionBy, Seq(orderBy))

  /** The same of a duration such as `"1 hour"`. */
  def rolling(agg: Column, size: String, partitionBy: Seq[Column], orderBy: Column): Column =
    rolling(agg, size, partitionBy, Seq(orderBy))

  /** The same of all rows up to the current one: a running value. */
  def rolling(agg: Column, partitionBy: Seq[Column], orderBy: Column*): Column =
    Rolling.running(agg, partitionBy, orderBy.toSeq)

  /**
   * Like the other overload, with the parameters of pandas' windows.
   *
   * {{{
   *   rolling(avg($"x"), "1 hour", Nil, Seq($"t"), closed = "right", minPeriods = Some(10))
   * }}}
   *
   * @param size
   *   a number of rows, an `Int`, or a duration, a `Duration` or text such as `"1 hour"`
   * @param closed
   *   which ends of the window belong to it: `"right"`, `"left"`, `"both"` or `"neither"`. Left
   *   out: `"right"` by rows, and `"both"` by time, as RANGE has it
   * @param minPeriods
   *   with fewer rows, counted where the aggregate's columns are not null, the result is null. Left
   *   out, a window by rows has to have all its rows, null or not
   * @param center
   *   whether the current row is in the middle of the window and not at its end
   * @throws java.lang.IllegalArgumentException
   *   if `size` has another type or is not positive, `closed` another word, or there is no order
   */
  def rolling(
      agg: Column,
      size: Any,
      partitionBy: Seq[Column],
      orderBy: Seq[Column],
      closed: String = "",
      minPeriods: Option[Int] = None,
      center: Boolean = false
  ): Column = new Rolling(agg, partitionBy, orderBy, closed, minPeriods, center).of(size)

  /** The same for Java. */
  def rolling(
      agg: Column,
      size: Any,
      partitionBy: java.util.List[Column],
      orderBy: java.util.List[Column]
  ): Column = rolling(agg, size, partitionBy.asScala.toSeq, orderBy.asScala.toSeq)

  /** The same for Java. */
  def rolling(
      agg: Column,
      size: Any,
      partitionBy: java.util.List[Column],
      orderBy: java.util.List[Column],
      closed: String,
      minPeriods: Int,
      center: Boolean
  ): Column = rolling(
    agg,
    size,
    partitionBy.asScala.toSeq,
    orderBy.asScala.toSeq,
    closed,
    Some(minPeriods),
    center
  )

  /** As `resample` of a `Seq`, for Java. */
  def resample(
      rows: Dataset[_],
      time: String,
      every: Any,
      by: java.util.List[String]
  ): Resampled = Resampled(rows, time, every, by.asScala.toSeq)

  /**
   * `frame` with the window function `column`, only the rows whose frame of ROWS lies wholly inside
   * the partition.
   *
   * {{{
   *   complete(readings, rolling(avg($"x"), 10, Nil, $"t").as("mean"))
   * }}}
   */
  def complete(frame: Dataset[_], column: Column): DataFrame = {
    val inside = "_muntin_complete"
    val all = frame.select(new Column("*"), column, isComplete(column).as(inside))
    all.where(all(inside)).drop(inside)
  }

  /**
   * Columns for Odysseus' lists of aggregations: function, attribute (or a sequence of them, or "*"
   * for COUNT and NEST), name of the result, and maybe its type (DOUBLE if left out). A column that
   * is a partial is merged. docs/aggregates.md has the functions and types.
   *
   * {{{
   *   val columns = aggregations(Seq(
   *     Seq("MAX", "price", "max_price", "double"),
   *     Seq("CORR", Seq("x", "y"), "r"),
   *     Seq("COUNT", "*", "n")
   *   ))
   *   bids.groupBy($"bidder").agg(columns.head, columns.tail: _*)
   * }}}
   *
   * @throws java.lang.IllegalArgumentException
   *   with the list and what is allowed, where a function or type is unknown, attributes are
   *   missing or too many, or two results have one name
   */
  def aggregations(lists: Seq[Seq[Any]]): Seq[Column] = Aggregations(lists)

  /**
   * Anchors that tick: a row with a column `at` for each of `start`, `start + every`, … up to
   * `stop`.
   *
   * {{{
   *   val clock = functions.clock(spark, start, stop, Duration.ofMinutes(5))
   *   windowBy(readings, clock, $"t", $"at" - expr("INTERVAL 1 HOUR"), $"at").agg(avg($"x"))
   * }}}
   */
  def clock(spark: SparkSession, start: Instant, stop: Instant, every: Duration): DataFrame = {
    if (stop.isBefore(start)) throw stopsBeforeStart(start, stop)
    checkPositive(micros(every) > 0L, "every", every, "a positive duration")
    val ticks = micros(Duration.between(start, stop)) / micros(every)
    spark.range(ticks + 1).select((lit(start) + col("id") * lit(every)).as("at"))
  }

  /** The same over integers. */
  def clock(spark: SparkSession, start: Long, stop: Long, every: Long): DataFrame = {
    if (stop < start) throw stopsBeforeStart(start, stop)
    checkPositive(every > 0L, "every", every, "a positive number")
    val ticks = Math.subtractExact(stop, start) / every
    spark.range(ticks + 1).select((lit(start) + col("id") * lit(every)).as("at"))
  }

  /**
   * Returns the clock as a stream that follows the system clock: time starts at `start` and
   * advances `speed` seconds per second, with a row for each tick. The stream has a watermark. A
   * new query starts at `start`; a query that continues from a checkpoint continues the clock.
   *
   * {{{
   *   val clock = functions.streamingClock(spark, Instant.now(), Duration.ofMinutes(5))
   *   val hourAgo = $"at" - expr("INTERVAL 1 HOUR")
   *   windowBy(readings, clock, $"t", hourAgo, $"at", obsolete = hourAgo)
   *     .agg(avg($"x"))
   * }}}
   */
  def streamingClock(
      spark: SparkSession,
      start: Instant,
      every: Duration,
      speed: Double = 1.0
  ): DataFrame = {
    checkPositive(micros(every) > 0L, "every", every, "a positive duration")
    val step = Math.round(speed * 1e6)
    checkPositive(step > 0L, "speed", speed, "more than zero")
    val passed =
      (seconds: String) => s"($seconds * ${step}L + ${micros(every) - 1L}L) DIV ${micros(every)}L"
    val first = micros(Duration.between(Instant.EPOCH, start))
    spark.readStream.format("rate").option("rowsPerSecond", 1L).load()
      .selectExpr(s"${passed("value")} AS since", s"${passed("(value + 1)")} AS until")
      .where("since < until")
      .selectExpr("explode(sequence(since, until - 1)) AS tick")
      .selectExpr(s"timestamp_micros(${first}L + tick * ${micros(every)}L) AS at")
      .withWatermark("at", "0 seconds")
  }

  private def checkPositive(
      isPositive: Boolean,
      parameter: String,
      argument: Any,
      expected: String
  ): Unit = if (!isPositive) throw Invalid("clock", parameter, argument, expected)

  private def stopsBeforeStart(start: Any, stop: Any): IllegalArgumentException =
    new MuntinIllegalArgumentException(
      "MUNTIN_CLOCK_STOPS_BEFORE_START",
      "start" -> start.toString,
      "stop" -> stop.toString
    )

  private[muntin] def micros(duration: Duration): Long =
    Math.addExact(
      Math.multiplyExact(duration.getSeconds, 1000000L),
      duration.getNano / 1000L
    )
}

package io.muntin

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{Column, DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.expressions.{Window, WindowSpec}
import org.apache.spark.sql.functions.{call_function, col, lit}
import org.apache.spark.sql.muntin.spark.MuntinIllegalArgumentException

/**
 * Muntin's functions for DataFrame code, in a session that has Muntin. Each calls the SQL function
 * of the same name, or combines several calls.
 *
 * {{{
 *   import io.muntin.functions._
 *
 *   readings.withColumn("recent", sliding(avg($"x"), 20, $"x" > 0).over(w))
 * }}}
 */
object functions extends SqlFunctions {

  /**
   * Joins each row of `left` with the row of `right` that was current at its time: a join by
   * `asof`.
   *
   * {{{
   *   asofJoin(trades, quotes, "at", by = Seq("symbol"), tolerance = lit("10 minutes"))
   * }}}
   *
   * @param on
   *   the times: the name of a column of both sides; if names differ, write the join with `asof`
   * @param by
   *   names of columns of both sides that must be equal; the result has them once
   * @param how
   *   "left", "inner", "left_semi" or "left_anti"
   * @param suffix
   *   the suffix of other columns of `right` with the name of a column of `left`
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

  /** Returns a window by durations such as `"-1 hour"` and `"0 seconds"`. */
  def over(partitionBy: Seq[Column], orderBy: Column, first: String, last: String): WindowSpec =
    over(partitionBy, orderBy, Durations("over", "first", first), Durations("over", "last", last))

  /** Like the other overload, for Java. */
  def over(
      partitionBy: java.util.List[Column],
      orderBy: Column,
      first: Duration,
      last: Duration
  ): WindowSpec = over(partitionBy.asScala.toSeq, orderBy, first, last)

  /**
   * A window of GROUPS of peers, the rows with equal `orderBy`: from `first` groups before (or, if
   * positive, after) the current row's group until `last`, both included.
   * `Window.unboundedPreceding` and `Window.unboundedFollowing` are the partition's ends.
   *
   * {{{
   *   sum($"x").over(over(Seq($"shop"), Seq($"day"), (-2L, 0L), exclude = "current row"))
   * }}}
   *
   * @param exclude
   *   the rows to exclude: "no others", "current row", "group" or "ties"
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

  /**
   * Like the other overload, over the rows from `size` before the current row's time up to it. The
   * result is never null for lack of rows.
   */
  def rolling(agg: Column, size: Duration, partitionBy: Seq[Column], orderBy: Column): Column =
    rolling(agg, size, partitionBy, Seq(orderBy))

  /** Like the other overload, over a duration such as `"1 hour"`. */
  def rolling(agg: Column, size: String, partitionBy: Seq[Column], orderBy: Column): Column =
    rolling(agg, size, partitionBy, Seq(orderBy))

  /** Returns a running value: the aggregate of all rows up to the current row. */
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
   *   the ends that belong to the window: `"right"`, `"left"`, `"both"` or `"neither"`. Default:
   *   `"right"` by rows, and `"both"` by time, as in RANGE
   * @param minPeriods
   *   with fewer rows, the result is null. Only rows whose columns in the aggregate are not null
   *   count. By default, a window by rows must have all its rows, null or not
   * @param center
   *   true if the current row is in the middle of the window instead of at its end
   * @throws java.lang.IllegalArgumentException if `size` has another type or is not positive, if
   *   `closed` is another word, or if there is no order
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

  /** Like the other overload, for Java. */
  def rolling(
      agg: Column,
      size: Any,
      partitionBy: java.util.List[Column],
      orderBy: java.util.List[Column]
  ): Column = rolling(agg, size, partitionBy.asScala.toSeq, orderBy.asScala.toSeq)

  /** Like the other overload, for Java. */
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
   * Returns `frame` with the window function `column`, and only the rows whose ROWS frame is
   * completely inside the partition.
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
   * Returns columns for Odysseus' lists of aggregations: function, attribute (or a sequence of
   * attributes, or "*" for COUNT and NEST), name of the result, and optionally its type (default
   * DOUBLE). A column that is a partial is merged. docs/aggregates.md has the functions and types.
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
   * @throws java.lang.IllegalArgumentException if a function or type is unknown, if there are too
   *   few or too many attributes, or if two results have the same name; the message shows the list
   *   and the allowed values
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

  /** Like the other overload, over integers. */
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

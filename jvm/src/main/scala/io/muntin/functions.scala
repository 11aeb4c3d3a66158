package io.muntin

import java.time.{Duration, Instant}

import org.apache.spark.sql.{Column, DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.expressions.{Window, WindowSpec}
import org.apache.spark.sql.functions.{col, lit}

/**
 * Muntin's functions for DataFrame code, in a session that has Muntin: each is one call of the SQL
 * function of its name. What they refuse, they refuse as SQL does, by an `AnalysisException`.
 *
 * {{{
 *   import io.muntin.functions._
 *
 *   readings.withColumn("recent", sliding(avg($"x"), 20, $"x" > 0).over(w))
 * }}}
 */
object functions {
  private val absent = lit(null)

  /**
   * The aggregate of the most recent `n` rows for which `where` is true (by default every row), up to
   * and with the current one. Until `n` rows have qualified it is null, or with `partial` that of
   * those there are. A row that qualifies and whose input is null is one of the `n`. Rows are taken
   * one by one, as with ROWS. It is Fenl's (Kaskada's) sliding(n, condition).
   *
   * {{{
   *   sliding(sum($"amount"), 2, $"amount".isNotNull).over(Window.partitionBy($"who").orderBy($"t"))
   * }}}
   *
   * @param agg
   *   any aggregate; DISTINCT and FILTER belong to it
   * @param n
   *   how many rows, 1 or more
   * @return
   *   a window function of the aggregate's type, for OVER with an order and no frame
   */
  def sliding(agg: Column, n: Int, where: Column = absent, partial: Boolean = false): Column =
    Call("sliding", agg, lit(n), where, lit(partial))

  /**
   * The aggregate of everything since the `n`-th most recent row for which `predicate` was true, in
   * the order update, emit, reset: the row that makes it true still belongs to the part that it
   * closes. Accumulation begins with the first row. A null predicate is false. It is Fenl's
   * (Kaskada's) since(condition).
   *
   * {{{
   *   since(count("*"), $"event" === "login").over(Window.partitionBy($"who").orderBy($"t"))
   * }}}
   *
   * @return
   *   a window function of the aggregate's type, for OVER with an order and no frame
   */
  def since(agg: Column, predicate: Column, n: Int = 1): Column =
    Call("since", agg, predicate, lit(n))

  /**
   * The aggregate over the frame of the OVER clause, changed.
   *
   * {{{
   *   framed(sum($"x"), closed = "left").over(w)
   * }}}
   *
   * @param closed
   *   which ends of the frame belong to it: both, left, right or neither
   * @param arrival
   *   peers are taken in the order of it, and each row sees only those that arrived no later than
   *   itself (SQLstream); without it they share a result
   * @param exclude
   *   SQL's EXCLUDE: no others, current row, group or ties
   * @param complete
   *   null unless the frame of ROWS lies wholly inside the partition (Psi)
   */
  def framed(
      agg: Column,
      closed: String = "both",
      arrival: Column = absent,
      exclude: String = "no others",
      complete: Boolean = false
  ): Column =
    Call("framed", agg, lit(closed), arrival, lit(exclude), lit(complete))

  /** Whether the frame of ROWS of a window function lies wholly inside the partition: a boolean. */
  def isComplete(column: Column): Column = Call("is_complete", column)

  /**
   * The aggregate's partial as a value: a struct to be stored, sent, unioned, and merged by
   * `mergePartial`. docs/partials.md has its layout.
   *
   * {{{
   *   readings.groupBy($"hour").agg(partial(avg($"temp")).as("p"))
   * }}}
   */
  def partial(agg: Column): Column = Call("partial", agg)

  /**
   * What `agg` gives over the rows that partials were made of; a partial may be finished by every
   * aggregate whose state it holds.
   *
   * {{{
   *   hours.groupBy($"day").agg(mergePartial(avg($"p")), mergePartial(count($"p")))
   * }}}
   */
  def mergePartial(agg: Column): Column = Call("merge_partial", agg)

  /**
   * The `n`-th value, counted from 1; null where there are fewer rows. Nulls count as rows. The order
   * is that of OVER; in a group it is that in which the rows come, as for first().
   */
  def nth(column: Column, n: Int): Column = Call("nth", column, lit(n))

  /**
   * Elements per second (of dates: per day; of numbers: per 1): their number, divided by the length
   * of the first one's validity. An element is a row whose `start` and `end` are not null. Null
   * without elements, or where the first one's length is zero.
   */
  def rate(start: Column, end: Column): Column = Call("rate", start, end)

  /** The same per `unit`: an interval for times, a number for numbers; a literal. */
  def rate(start: Column, end: Column, unit: Column): Column =
    Call("rate", start, end, unit)

  /** The same per `unit` of time. */
  def rate(start: Column, end: Column, unit: Duration): Column = rate(start, end, lit(unit))

  /** The part of rows in which a column is not null, from 0 to 1; null without rows. */
  def completeness(column: Column): Column = Call("completeness", column)

  /**
   * Windows of `groupBy` along the values of a field, a number, TIMESTAMP, TIMESTAMP_NTZ or DATE: `size`
   * wide, `advance` apart, at `offset` and its multiples. Without `advance` one opens at the value of the
   * first row that finds none open; without `size` it never closes by itself. A row that reaches a
   * window's end is not in it; windows without a row do not come out. It is StreamBase's field
   * dimension.
   *
   * {{{
   *   trades.groupBy($"symbol", fieldWindow($"t", 30, 20)).agg(sum($"volume"))
   *   flights.groupBy(fieldWindow($"dep", Duration.ofDays(7), Duration.ofDays(1))).agg(avg($"delay"))
   * }}}
   *
   * @param size
   *   a number; of timestamps in seconds, or a `Duration`; of dates in days. So are `advance`, `offset`
   *   and `every`
   * @param every
   *   a result also each so far behind the opening
   * @param open
   *   what opens at the first row of a group and after a gap of `size`: single, the latest window, or
   *   all that contain the row
   * @param drain
   *   whether windows come out that no later row of any group has closed
   * @return
   *   a struct of open and close, and with `every` of emit: up to where a result goes
   */
  def fieldWindow(
      field: Column,
      size: Any = null,
      advance: Any = null,
      offset: Any = 0,
      every: Any = null,
      open: String = "single",
      drain: Boolean = true
  ): Column =
    Call(
      "field_window",
      field,
      lit(size),
      lit(advance),
      lit(offset),
      lit(every),
      lit(open),
      lit(drain)
    ).as("field_window")

  /**
   * A TIMESTAMP, TIMESTAMP_NTZ or DATE as microseconds since 1970, for frames of RANGE: a day of it is
   * 24 hours, whatever the clocks do.
   *
   * {{{
   *   Window.orderBy(rowTime($"t")).rangeBetween(-3600L * 1000 * 1000, 0)
   * }}}
   */
  def rowTime(time: Column): Column = Call("row_time", time)

  /**
   * A window by time: the rows from `first` before (or, positive, after) the current row's time until
   * `last`, both ends included.
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

  /**
   * The aggregate of the last `size` rows, the current one among them; null before there are so many,
   * which `complete` leaves out. There is no OVER to add. (Psi's window statistics.)
   */
  def rolling(agg: Column, size: Int, partitionBy: Seq[Column], orderBy: Column*): Column = {
    require(size >= 1, s"rolling: size is $size; expected is a positive number of rows")
    framed(agg, complete = true).over(rows(partitionBy, orderBy).rowsBetween(1L - size, 0))
  }

  /** The same of the rows from `size` before the current row's time up to it, always. */
  def rolling(agg: Column, size: Duration, partitionBy: Seq[Column], orderBy: Column): Column = {
    require(!size.isNegative, s"rolling: size is $size; expected is a duration of zero or more")
    agg.over(over(partitionBy, orderBy, size.negated, Duration.ZERO))
  }

  /** The same of all rows up to the current one: a running value. */
  def rolling(agg: Column, partitionBy: Seq[Column], orderBy: Column*): Column =
    agg.over(rows(partitionBy, orderBy).rowsBetween(Window.unboundedPreceding, 0))

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
   * for COUNT), name of the result, and maybe its type (DOUBLE if left out). docs/aggregates.md has
   * the functions and types.
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
   *   with the list and what is allowed, where a function or type is unknown, attributes are missing
   *   or too many, or two results have one name
   */
  def aggregations(lists: Seq[Seq[Any]]): Seq[Column] = Aggregations(lists)

  /**
   * Windows for `groupBy`: each row is valid from `start` until `end`, not with it, and there is a window
   * for each maximal interval in which the set of a group's valid rows is constant and not empty. A
   * null end is never. It is Odysseus' AGGREGATE.
   *
   * {{{
   *   bids.groupBy($"item", validity($"placed", $"withdrawn")).agg(max($"price"))
   * }}}
   *
   * @param dumpAt
   *   windows are cut at the start of every so many-th row of all groups
   * @param emit
   *   "change", or "element": one window for each row, of the rows valid at its start, those of the
   *   same start that came before it and itself included
   * @param drain
   *   whether windows come out that no later row of any group has closed
   * @return
   *   a struct of `start` and `end`, called validity
   */
  def validity(
      start: Column,
      end: Column,
      dumpAt: Option[Int] = None,
      emit: String = "change",
      drain: Boolean = true
  ): Column =
    Call("validity", start, end, dumpAt.fold(absent)(lit(_)), lit(emit), lit(drain))
      .as("validity")

  /**
   * The aggregate over each maximal interval in which the set of valid rows is constant and not empty, as
   * an array of structs (`start`, `end`, `value`), in order. Each row is valid from `start` until `end`, not
   * with it; a null end is never. It is `validity` in one value, beside other aggregates.
   *
   * {{{
   *   stays.groupBy($"wing").agg(intervals(sum($"guests"), $"from", $"until"), count("*"))
   * }}}
   *
   * @param agg
   *   any aggregate; DISTINCT and FILTER belong to it
   */
  def intervals(agg: Column, start: Column, end: Column): Column =
    Call("intervals", agg, start, end)

  /**
   * In groupBy: a window for each tick of a schedule, with the rows since the tick before, those at the tick
   * itself included, from the group's first row to the newest row of all groups; also where there are no
   * rows. The column is named `ticks`: a struct of `start` and `end`. It is Fenl's (Kaskada's) cron window.
   *
   * {{{
   *   sales.groupBy($"shop", ticks($"t", "monthly", "America/New_York")).agg(sum($"amount"))
   * }}}
   *
   * @param time
   *   a TIMESTAMP, TIMESTAMP_NTZ or DATE; a null is an error
   * @param schedule
   *   minutely, hourly, daily, weekly (Mondays), monthly, yearly, or a five-field cron expression
   * @param timezone
   *   that of the schedule, for a TIMESTAMP; null for the session's
   * @param span
   *   how many ticks a window goes back; None for everything since the group's first row
   * @param drain
   *   whether the ticks come out that no row has passed yet
   */
  def ticks(
      time: Column,
      schedule: String,
      timezone: String = null,
      span: Option[Int] = Some(1),
      drain: Boolean = true
  ): Column =
    Call(
      "ticks",
      time,
      lit(schedule),
      lit(timezone),
      span.fold(absent)(lit(_)),
      lit(drain)
    ).as("ticks")

  /**
   * Windows that the rows of another table say: for each row of `anchors` the rows of `source` whose `time`
   * lies between its `start` and `end`. `agg` gives all anchors with all their columns, also those without a
   * row inside. (Psi's dynamic windows.)
   *
   * {{{
   *   windowBy(readings, alarms, $"t", $"at" - expr("INTERVAL 1 HOUR"), $"at", on = Seq("sensor"))
   *     .agg(avg($"x").as("mean"), count("*").as("n"))
   * }}}
   *
   * @param time
   *   of columns of `source`; a row without a time is in no window
   * @param start
   *   of columns of `anchors`, as are `end` and `obsolete`; a start after its end, and an end that is null or
   *   infinite, fail the query
   * @param on
   *   columns of both tables that have to be equal; `.on(…)` adds those of different names
   * @param closed
   *   which ends belong to a window: both, left, right or neither
   * @param obsolete
   *   what each anchor promises: no later one (in the order of `end`) reaches before it; a broken promise
   *   fails the query. On a stream it is what lets rows of `source` go
   */
  def windowBy(
      source: Dataset[_],
      anchors: Dataset[_],
      time: Column,
      start: Column,
      end: Column,
      on: Seq[String] = Nil,
      closed: String = "both",
      obsolete: Column = absent
  ): WindowBy =
    new WindowBy(
      source,
      anchors,
      time,
      start,
      end,
      on.map(name => col(name) -> col(name)),
      closed,
      if (obsolete eq absent) None else Some(obsolete)
    )

  /**
   * Anchors that tick: a row with a column `at` for each of `start`, `start + every`, … up to `stop`.
   *
   * {{{
   *   val clock = functions.clock(spark, start, stop, Duration.ofMinutes(5))
   *   windowBy(readings, clock, $"t", $"at" - expr("INTERVAL 1 HOUR"), $"at").agg(avg($"x"))
   * }}}
   */
  def clock(spark: SparkSession, start: Instant, stop: Instant, every: Duration): DataFrame = {
    requireClock(!stop.isBefore(start), s"stop is $stop, before start, $start")
    requireClock(micros(every) > 0L, s"every is $every; expected is a positive duration")
    val ticks = micros(Duration.between(start, stop)) / micros(every)
    spark.range(ticks + 1).select((lit(start) + col("id") * lit(every)).as("at"))
  }

  /** The same over integers. */
  def clock(spark: SparkSession, start: Long, stop: Long, every: Long): DataFrame = {
    requireClock(start <= stop, s"stop is $stop, before start, $start")
    requireClock(every > 0L, s"every is $every; expected is a positive number")
    val ticks = Math.subtractExact(stop, start) / every
    spark.range(ticks + 1).select((lit(start) + col("id") * lit(every)).as("at"))
  }

  /**
   * The same as a stream, by the clock on the wall: from `start` on time goes by, `speed` seconds of it each second, with
   * a row for each tick that it passes. It has a watermark, and begins anew with each query, at `start`; a query that
   * goes on from its checkpoint goes on with it.
   *
   * {{{
   *   val clock = functions.streamingClock(spark, Instant.now(), Duration.ofMinutes(5))
   *   windowBy(readings, clock, $"t", $"at" - expr("INTERVAL 1 HOUR"), $"at", obsolete = $"at" - expr("INTERVAL 1 HOUR"))
   *     .agg(avg($"x"))
   * }}}
   */
  def streamingClock(
      spark: SparkSession,
      start: Instant,
      every: Duration,
      speed: Double = 1.0
  ): DataFrame = {
    requireClock(micros(every) > 0L, s"every is $every; expected is a positive duration")
    val step = Math.round(speed * 1e6)
    requireClock(step > 0L, s"speed is $speed; expected is more than zero")
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

  private def requireClock(holds: Boolean, message: => String): Unit =
    require(holds, s"clock: $message")

  private def rows(partitionBy: Seq[Column], orderBy: Seq[Column]): WindowSpec = {
    require(orderBy.nonEmpty, "rolling: orderBy is empty; say by what rows follow one another")
    Window.partitionBy(partitionBy: _*).orderBy(orderBy: _*)
  }

  private def micros(duration: Duration): Long =
    Math.addExact(
      Math.multiplyExact(duration.getSeconds, 1000000L),
      duration.getNano / 1000L
    )
}

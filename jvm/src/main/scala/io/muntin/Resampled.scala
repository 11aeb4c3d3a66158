package io.muntin

import java.time.Duration
import java.time.temporal.ChronoUnit
import java.util.Locale

import scala.annotation.varargs

import org.apache.spark.sql.{Column, DataFrame, Dataset}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._

/** The grid of `functions.resample`, which waits for what is to be said at its places. */
final class Resampled private[muntin] (
    rows: Dataset[_],
    time: String,
    kind: DataType,
    step: Long,
    by: Seq[String]
) {
  import Resampled._

  private val keys: Seq[Column] = by.map(column)
  private val values: Seq[String] =
    rows.columns.toSeq.filterNot(name => isAmong(name, time +: by))

  /**
   * The aggregates of the rows of each step: those at its place, and behind it before the next. A
   * step without a row has those of nothing.
   */
  @varargs
  def agg(aggregate: Column, others: Column*): DataFrame =
    steps(rows.toDF(), "left", aggregate +: others)

  /**
   * The average of a column over the time of each step, also where no row lies in it: a value holds
   * until the next one. The first step counts from a group's first row on, and the last until its
   * last row.
   */
  def timeWeightedAvg(column: String): DataFrame = timeWeightedAvg(Seq(column), "locf")

  /**
   * The same of several columns.
   *
   * @param method
   *   `"locf"`, the last observation carried forward, or `"linear"`
   */
  def timeWeightedAvg(columns: Seq[String], method: String): DataFrame = {
    require(columns.nonEmpty, "resample: columns is empty; expected are names of columns")
    val ways = Map("locf" -> "last", "linear" -> "linear")
    require(
      ways.contains(method),
      s"resample: method is '$method'; expected is 'locf' or 'linear'"
    )
    // With the values at the places, each step knows what holds where it begins and ends.
    val both = filled(values.filter(isAmong(_, columns)), ways(method), null)
    val aggregates = columns.map { name =>
      functions.timeWeightedAvg(column(name), column(time), method).as(name)
    }
    steps(both, "both", aggregates)
  }

  /** The values of the last row at each place of the grid or before it; see `fill(method)`. */
  def fill(): DataFrame = fill("last", null)

  /**
   * The values of the rows around each place of the grid, from a group's first row to its last;
   * `filled` says whether the rows have none at this very time.
   *
   * @param method
   *   as of `functions.fill`: `"last"`, `"next"`, `"nearest"` or `"linear"`
   */
  def fill(method: String): DataFrame = fill(method, null)

  /**
   * The same of values that are no farther away than `maxGap`, of which `functions.fill` says what
   * it may be.
   */
  def fill(method: String, maxGap: Any): DataFrame = {
    require(
      !isAmong("filled", rows.columns.toSeq),
      "resample: the rows have a column filled already; rename it"
    )
    filled(values, method, maxGap).where(col(Made)).drop(Made)
  }

  private def steps(rows: DataFrame, closed: String, aggregates: Seq[Column]): DataFrame = {
    val places = grid(floor(_, step), floor(_, step))
      .select(keys :+ at(col(Place)) :+ at(col(Place) + lit(step)).as(Made): _*)
    val windows =
      functions.windowBy(rows, places, column(time), column(time), col(Made), by, closed)
    windows.agg(aggregates.head, aggregates.tail: _*).drop(Made)
  }

  /** The rows and the places, with the values that are there or filled in. */
  private def filled(values: Seq[String], method: String, maxGap: Any): DataFrame = {
    val types = rows.schema.map(field => field.name -> field.dataType).toMap
    val places = grid(ceiling(_, step), floor(_, step)).select(
      (keys :+ at(col(Place))) ++ values.map(name => lit(null).cast(types(name)).as(name)) :+
        lit(true).as(Made): _*
    )
    val present = rows.where(column(time).isNotNull)
      .select((keys :+ column(time)) ++ values.map(column) :+ lit(false).as(Made): _*)
    // A row at a place comes before it where values are carried forward, else behind it.
    val made = if (method == "next") col(Made).desc else col(Made).asc
    val around = Window.partitionBy(keys: _*).orderBy(column(time), made)
    val peers = Window.partitionBy(keys: _*).orderBy(column(time)).rangeBetween(0, 0)
    present.unionByName(places).select(
      (keys :+ column(time)) ++
        values.map(name => functions.fill(column(name), method, maxGap).over(around).as(name)) :+
        min(Made).over(peers).as("filled") :+ col(Made): _*
    )
  }

  /** The places of each group, as numbers. */
  private def grid(first: Column => Column, last: Column => Column): DataFrame = {
    val (from, until) = ("__muntin_first", "__muntin_last")
    rows.groupBy(keys: _*)
      .agg(first(min(number)).as(from), last(max(number)).as(until))
      .where(col(from) <= col(until))
      .select(keys :+ explode(sequence(col(from), col(until), lit(step))).as(Place): _*)
  }

  private def number: Column = kind match {
    case DateType => unix_date(column(time)).cast(LongType)
    case Whole() => column(time).cast(LongType)
    case _ => functions.rowTime(column(time))
  }

  private def at(place: Column): Column = {
    val made = kind match {
      case TimestampType => timestamp_micros(place)
      case DateType => date_from_unix_date(place.cast(IntegerType))
      case Whole() => place.cast(kind)
      case _ =>
        val seconds = (place.cast(DecimalType(20, 0)) / lit(1000000)).cast(DecimalType(18, 6))
        lit("1970-01-01 00:00:00").cast(TimestampNTZType) +
          make_dt_interval(lit(0), lit(0), lit(0), seconds)
    }
    made.as(time)
  }
}

private[muntin] object Resampled {
  // No names of anybody's columns.
  private val Place = "__muntin_place"
  private val Made = "__muntin_made"

  def apply(rows: Dataset[_], time: String, every: Any, by: Seq[String]): Resampled = {
    if (rows.isStreaming) {
      throw refused(
        "rows is a stream, whose groups have no last row; group by ticks(…) or fieldWindow(…)"
      )
    }
    val kind = rows.select(column(time)).schema.head.dataType
    new Resampled(rows, time, kind, step(time, kind, every), by)
  }

  private def step(time: String, kind: DataType, every: Any): Long = {
    val length = (kind, every) match {
      case (Whole(), n: Int) => n.toLong
      case (Whole(), n: Long) => n
      case (Whole(), _) =>
        throw refused(s"every is $every, and $time is ${kind.sql}; say a whole number")
      case (TimestampType | TimestampNTZType, _) => duration(every).dividedBy(one)
      case (DateType, _) =>
        val whole = duration(every)
        if (whole != Duration.ofDays(whole.toDays)) {
          throw refused(s"every is $every, and $time a date; say whole days")
        }
        whole.toDays
      case _ =>
        throw refused(
          s"time is $time, of type ${kind.sql}; expected is a TIMESTAMP, TIMESTAMP_NTZ, DATE or " +
            "whole number"
        )
    }
    if (length <= 0L) throw refused(s"every is $every; expected is more than zero")
    length
  }

  private val one = Duration.of(1L, ChronoUnit.MICROS)

  private object Whole {
    def unapply(kind: DataType): Boolean =
      Set[DataType](ByteType, ShortType, IntegerType, LongType)(kind)
  }

  private def duration(every: Any): Duration = every match {
    case length: Duration => length
    case text: String => Durations("resample", "every", text)
    case other =>
      throw refused(s"every is $other; expected is a Duration, or text such as '5 minutes'")
  }

  private def refused(why: String) = new IllegalArgumentException(s"resample: $why")

  private def floor(number: Column, step: Long): Column = number - pmod(number, lit(step))

  private def ceiling(number: Column, step: Long): Column = floor(number + lit(step - 1L), step)

  private def isAmong(name: String, names: Seq[String]): Boolean =
    names.exists(_.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))

  private def column(name: String): Column = col("`" + name.replace("`", "``") + "`")
}

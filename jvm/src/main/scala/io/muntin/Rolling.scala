package io.muntin

import java.time.Duration

import org.apache.spark.sql.Column
import org.apache.spark.sql.expressions.{Window, WindowSpec}
import org.apache.spark.sql.muntin.spark.MuntinIllegalArgumentException

import Rolling._

/** The aggregate of `functions.rolling`, over its window. */
private[muntin] final class Rolling(
    agg: Column,
    partitionBy: Seq[Column],
    orderBy: Seq[Column],
    closed: String,
    minPeriods: Option[Int],
    center: Boolean
) {
  if (closed.nonEmpty && !Closed.contains(closed)) {
    throw invalid("closed", s"'$closed'", s"one of ${Closed.mkString("'", "', '", "'")}")
  }
  minPeriods.filter(_ < 0).foreach { periods =>
    throw invalid("minPeriods", periods, "zero or more")
  }

  // 0 rows are always enough.
  private val least: Option[Int] = minPeriods.filter(_ > 0)

  def of(size: Any): Column = size match {
    case rows: Int => ofRows(rows)
    case length: Duration => ofTime(length, length.toString)
    case text: String => ofTime(Durations("rolling", "size", text), text)
    case other => throw invalid("size", other, "an Int, a Duration, or text such as '1 hour'")
  }

  private def ofRows(size: Int): Column = {
    if (size < 1) throw invalid("size", size, "a positive number of rows")
    val middle = if (center) (size - 1L) / 2L else 0L
    val first = middle - size + (if (closed == "left" || closed == "both") 0L else 1L)
    val last = middle - (if (closed == "left" || closed == "neither") 1L else 0L)
    if (first > last) {
      throw new MuntinIllegalArgumentException(
        "MUNTIN_EMPTY_ROLLING_WINDOW",
        "size" -> size.toString,
        "closed" -> s"'$closed'"
      )
    }
    val window = ordered(partitionBy, orderBy).rowsBetween(first, last)
    val framed = functions.framed(agg, complete = minPeriods.isEmpty, minPeriods = least)
    named(framed.over(window), s"$size")
  }

  private def ofTime(size: Duration, written: String): Column = {
    if (size.isNegative) throw invalid("size", size, "a duration of zero or more")
    if (orderBy.size != 1) {
      throw new MuntinIllegalArgumentException(
        "MUNTIN_RANGE_OF_SEVERAL_COLUMNS",
        "columns" -> orderBy.size.toString
      )
    }
    val half = size.dividedBy(2L)
    if (center && functions.micros(half) * 2L != functions.micros(size)) {
      throw invalid("size", size, "an even number of microseconds, because center is true")
    }
    val (first, last) = if (center) (half.negated, half) else (size.negated, Duration.ZERO)
    val window = functions.over(partitionBy, orderBy.head, first, last)
    val ends = if (closed.isEmpty) "both" else closed
    val framed =
      if (ends == "both" && least.isEmpty) agg
      else functions.framed(agg, closed = ends, minPeriods = least)
    named(framed.over(window), written)
  }

  private def named(column: Column, size: String): Column = {
    val others = Some(closed).filter(_.nonEmpty).map(ends => s"closed=$ends").toSeq ++
      minPeriods.map(least => s"minPeriods=$least") ++
      Some("center").filter(_ => center)
    name(column, agg, size, partitionBy, orderBy, others)
  }
}

private[muntin] object Rolling {
  private val Closed = Seq("right", "left", "both", "neither")

  /** All rows up to the current one. */
  def running(agg: Column, partitionBy: Seq[Column], orderBy: Seq[Column]): Column = {
    val window =
      ordered(partitionBy, orderBy).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    name(agg.over(window), agg, "all", partitionBy, orderBy, Nil)
  }

  private def ordered(partitionBy: Seq[Column], orderBy: Seq[Column]): WindowSpec = {
    if (orderBy.isEmpty) throw new MuntinIllegalArgumentException("MUNTIN_ROLLING_WITHOUT_ORDER")
    Window.partitionBy(partitionBy: _*).orderBy(orderBy: _*)
  }

  /** Named as in the query: the frame's expressions would not help the reader. */
  private def name(
      column: Column,
      agg: Column,
      size: String,
      partitionBy: Seq[Column],
      orderBy: Seq[Column],
      others: Seq[String]
  ): Column = {
    val written = (agg.toString +: size +: (partitionBy ++ orderBy).map(_.toString)) ++ others
    column.as(written.mkString("rolling(", ", ", ")"))
  }

  private def invalid(parameter: String, argument: Any, expected: String) =
    Invalid("rolling", parameter, argument, expected)
}

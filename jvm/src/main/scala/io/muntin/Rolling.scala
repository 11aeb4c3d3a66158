package io.muntin

import java.time.Duration

import org.apache.spark.sql.Column
import org.apache.spark.sql.expressions.{Window, WindowSpec}

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
  check(
    closed.isEmpty || Closed.contains(closed),
    s"closed is '$closed'; expected is one of ${Closed.mkString("'", "', '", "'")}"
  )
  check(
    minPeriods.forall(_ >= 0),
    s"minPeriods is ${minPeriods.getOrElse(0)}; expected is zero or more"
  )

  // Of 0 rows there are always enough.
  private val least: Option[Int] = minPeriods.filter(_ > 0)

  def of(size: Any): Column = size match {
    case rows: Int => ofRows(rows)
    case length: Duration => ofTime(length, length.toString)
    case text: String => ofTime(Durations("rolling", "size", text), text)
    case other =>
      throw new IllegalArgumentException(
        s"rolling: size is $other; expected is an Int, a Duration, or text such as '1 hour'"
      )
  }

  private def ofRows(size: Int): Column = {
    check(size >= 1, s"size is $size; expected is a positive number of rows")
    val middle = if (center) (size - 1L) / 2L else 0L
    val first = middle - size + (if (closed == "left" || closed == "both") 0L else 1L)
    val last = middle - (if (closed == "left" || closed == "neither") 1L else 0L)
    check(first <= last, s"size is $size, of which '$closed' leaves no row")
    val window = ordered(partitionBy, orderBy).rowsBetween(first, last)
    val framed = functions.framed(agg, complete = minPeriods.isEmpty, minPeriods = least)
    named(framed.over(window), s"$size")
  }

  private def ofTime(size: Duration, written: String): Column = {
    check(!size.isNegative, s"size is $size; expected is a duration of zero or more")
    check(orderBy.size == 1, s"orderBy has ${orderBy.size} columns; a duration goes by one time")
    val half = size.dividedBy(2L)
    check(
      !center || functions.micros(half) * 2L == functions.micros(size),
      s"size is $size, whose half is no whole number of microseconds"
    )
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
    check(orderBy.nonEmpty, "orderBy is empty; say by what rows follow one another")
    Window.partitionBy(partitionBy: _*).orderBy(orderBy: _*)
  }

  /** As the query writes it: what the frame is made of says nothing to its reader. */
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

  private def check(holds: Boolean, message: => String): Unit = require(holds, s"rolling: $message")
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.exchange.{
  Layout,
  Stripe,
  StripeSerializer,
  StripesOfStripes
}
import org.apache.spark.sql.muntin.execution.sort.SortWords
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.unsafe.Platform

/**
 * Converts rows in stripes while a partition is exchanged by range. It compares a row with the cuts
 * between segments by the numbers of its columns, or as a row if these are not numbers. For each
 * segment it counts the rows, and the rows for which each of `conditions` is true.
 *
 *     stripe of a mapper     10  60  20  70  30        cuts before 30 and before 50
 *     sent                   segment 0: 10 20    1: 30    2: 60 70    counts 2 1 2
 *
 * The exchanged rows have one more column, of bytes. Only the counts, which are one row, use it.
 */
private[split] final class RoutedStripes(
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute],
    val conditions: Seq[Expression]
) extends Serializable {
  private val types = input.map(_.dataType)
  private val layout = new Layout(types)

  def serializer(metrics: Map[String, SQLMetric]): Serializer =
    new StripeSerializer(new Layout(types :+ BinaryType), metrics("dataSize"))

  /**
   * Returns the rows, each with the partition of the exchange that it goes to. The counts of rows
   * in each segment follow the last row.
   */
  def route(
      stripes: Iterator[Stripe],
      to: ExchangedPartition
  ): Iterator[Product2[Int, Stripe]] = {
    val counted = counts(to.segments)
    val segments =
      new SegmentsOfStripes(to.segments, sortOrder, keys, input, layout, conditions, counted)
    val dealt = new StripesOfStripes(stripes, layout, to.segments.size, segments.write)
    // Only after all rows have been counted.
    def ofCounts = Iterator.single(to.ofCounts -> RoutedStripes.sent(layout, counted))
    dealt.map { case (segment, stripe) =>
      (to.first + segment, RoutedStripes.widened(stripe))
    } ++ ofCounts
  }

  /** Returns the received rows. */
  def received(sent: Stripe): Stripe = {
    val size = layout.size
    new Stripe(
      sent.rows,
      sent.values.take(size),
      sent.nulls.take(size),
      sent.ends.take(size),
      sent.codes.take(size)
    )
  }

  /** Returns empty counts. */
  def counts(segments: Segments): SegmentCounts =
    new SegmentCounts(segments.size, conditions.size)

  /** Adds the received counts of one route. */
  def addCounts(sent: Stripe, to: SegmentCounts): Unit = to.add(sent.values(layout.size))
}

private object RoutedStripes {
  private val nothing = Array.emptyByteArray
  private val endsOfNothing = new Array[Byte](4 * Stripe.MostRows)

  private def widened(stripe: Stripe): Stripe = new Stripe(
    stripe.rows,
    stripe.values :+ nothing,
    stripe.nulls :+ null,
    stripe.ends :+ endsOfNothing,
    stripe.codes :+ null
  )

  private def sent(layout: Layout, counts: SegmentCounts): Stripe = {
    val bytes = counts.bytes
    val end = new Array[Byte](4)
    Platform.putInt(end, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length)
    new Stripe(
      1,
      layout.widths.map(new Array[Byte](_)) :+ bytes,
      new Array[Array[Byte]](layout.size + 1),
      layout.widths.map(width => if (width == 0) endsOfNothing else null) :+ end
    )
  }
}

/** Finds the segments of the rows of stripes, and counts these rows. */
private final class SegmentsOfStripes(
    segments: Segments,
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute],
    layout: Layout,
    conditions: Seq[Expression],
    counts: SegmentCounts
) {
  private val order = new CutOrder(sortOrder, keys, input)
  private val words =
    SortWords(sortOrder, input).filter(NumberedCut.support(segments.cuts.toSeq, keys, _))
  private val numbers = words.map(new StripeNumbers(_)).orNull
  private val cuts = words.fold(Array.empty[NumberedCut]) { of =>
    segments.cuts.map(new NumberedCut(_, keys, of))
  }
  private val counted: Array[BasePredicate] =
    conditions.map(Predicate.create(_, input)).toArray
  private val rows = {
    val readColumns = AttributeSet(conditions)
    new RowsOfStripe(layout, c => order.reads(c) || readColumns.contains(input(c)))
  }
  private var near = 0

  /** Writes the segment of each row of a stripe. */
  def write(stripe: Stripe, to: Array[Int]): Unit = {
    if (numbers != null && numbers.load(stripe)) writeByNumbers(stripe.rows, to)
    else writeByRows(stripe, to)
    count(stripe, to)
  }

  private def writeByNumbers(count: Int, to: Array[Int]): Unit = {
    var c = 0
    while (c < cuts.length) {
      cuts(c).load(numbers)
      c += 1
    }
    var i = 0
    while (i < count) {
      // The first cut after the row; cuts are in order.
      var low = 0
      var high = cuts.length
      while (low < high) {
        val middle = (low + high) >>> 1
        if (cuts(middle).isAfter(numbers, i)) high = middle else low = middle + 1
      }
      to(i) = low
      i += 1
    }
  }

  private def writeByRows(stripe: Stripe, to: Array[Int]): Unit = {
    rows.begin(stripe)
    var i = 0
    while (i < stripe.rows) {
      near = segments.of(rows.next(), near, order)
      to(i) = near
      i += 1
    }
  }

  private def count(stripe: Stripe, to: Array[Int]): Unit = {
    val isAsked = counted.length > 0
    if (isAsked) rows.begin(stripe)
    var i = 0
    while (i < stripe.rows) {
      counts.add(to(i))
      if (isAsked) counts.addWhere(to(i), rows.next(), counted)
      i += 1
    }
  }
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.exchange.{
  Layout,
  Stripe,
  StripeRows,
  StripeSerializer,
  StripesOfStripes
}
import org.apache.spark.sql.muntin.execution.rows.RowBatch
import org.apache.spark.sql.muntin.execution.sort.SortWords
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.unsafe.Platform

/**
 * Rows in stripes. A row is compared with the cuts between segments by the numbers of its columns,
 * or as a row, where these are no numbers.
 *
 *     stripe of a mapper     10  60  20  70  30        cuts before 30 and before 50
 *     sent                   segment 0: 10 20    1: 30    2: 60 70    counts 2 1 2
 *
 * What is sent has one more column, of bytes: it is empty, but for the counts, which are one row.
 */
private[split] final class RoutedStripes(
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute]
) extends RoutedForm[Stripe] {
  private val types = input.map(_.dataType)
  private val layout = new Layout(types)

  override def serializer(metrics: Map[String, SQLMetric]): Serializer =
    new StripeSerializer(new Layout(types :+ BinaryType), metrics("dataSize"))

  override def route(
      stripes: Iterator[Stripe],
      to: ExchangedPartition
  ): Iterator[Product2[Int, Stripe]] = {
    val counts = new SegmentCounts(to.segments.size, 0)
    val order = new CutOrder(sortOrder, keys, input)
    val words = SortWords(sortOrder, input)
    val segments = new SegmentsOfStripes(to.segments, order, keys, words, layout, counts)
    val dealt = new StripesOfStripes(stripes, layout, to.segments.size, segments.write)
    // Only when all rows have been counted.
    def ofCounts = Iterator.single(to.ofCounts -> RoutedStripes.counted(layout, counts))
    dealt.map { case (segment, stripe) =>
      (to.first + segment, RoutedStripes.widened(stripe))
    } ++ ofCounts
  }

  override def received(sent: Stripe): Stripe = {
    val size = layout.size
    new Stripe(
      sent.rows,
      sent.values.take(size),
      sent.nulls.take(size),
      sent.ends.take(size),
      sent.codes.take(size)
    )
  }

  override def addCounts(sent: Stripe, to: SegmentCounts): Unit = to.add(sent.values(layout.size))
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

  private def counted(layout: Layout, counts: SegmentCounts): Stripe = {
    val bytes = counts.row.getBytes
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

/** Writes the segments of the rows of stripes, and counts these rows. */
private final class SegmentsOfStripes(
    segments: Segments,
    order: CutOrder,
    keys: Int,
    words: Option[SortWords],
    layout: Layout,
    counts: SegmentCounts
) {
  private val numbered =
    words.filter(NumberedCut.support(segments.cuts.toSeq, keys, _)).map { of =>
      segments.cuts.map(new NumberedCut(_, keys, of))
    }.orNull
  private val numbers = if (numbered == null) null else new StripeNumbers(words.get)

  private val rows = new StripeRows(layout)
  rows.leaveOut(layout.widths.indices.filterNot(c => order.reads(c)))
  private val batch = new RowBatch
  private val row = new UnsafeRow(layout.size)
  private var near = 0

  /** Writes the segment of each row of a stripe. */
  def write(stripe: Stripe, to: Array[Int]): Unit = {
    if (numbered != null && numbers.load(stripe)) writeByNumbers(stripe.rows, to)
    else writeByRows(stripe, to)
    var i = 0
    while (i < stripe.rows) {
      counts.add(to(i))
      i += 1
    }
  }

  private def writeByNumbers(count: Int, to: Array[Int]): Unit = {
    var c = 0
    while (c < numbered.length) {
      numbered(c).meet(numbers)
      c += 1
    }
    var i = 0
    while (i < count) {
      // The first cut that lies behind the row; cuts are in order.
      var low = 0
      var high = numbered.length
      while (low < high) {
        val middle = (low + high) >>> 1
        if (numbered(middle).isBehind(numbers, i)) high = middle else low = middle + 1
      }
      to(i) = low
      i += 1
    }
  }

  private def writeByRows(stripe: Stripe, to: Array[Int]): Unit = {
    rows.clear()
    rows.add(stripe)
    var next = 0
    while (next < stripe.rows) {
      var i = next
      next = rows.copy(StripeRows.first, next, stripe.rows, batch)
      while (batch.hasNext) {
        batch.advance(row)
        near = segments.of(row, near, order)
        to(i) = near
        i += 1
      }
    }
  }
}

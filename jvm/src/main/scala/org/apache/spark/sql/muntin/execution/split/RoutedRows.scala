package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.spark.OwnShuffle
import org.apache.spark.util.MutablePair

/**
 * Rows one by one. Of each segment it is counted for how many rows each of `conditions` is true,
 * too; the counts are one row.
 */
private[split] final class RoutedRows(
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute],
    conditions: Seq[Expression]
) extends RoutedForm[InternalRow] {
  override def serializer(metrics: Map[String, SQLMetric]): Serializer =
    OwnShuffle.rowSerializer(input.size, metrics)

  override def route(
      rows: Iterator[InternalRow],
      to: ExchangedPartition
  ): Iterator[Product2[Int, InternalRow]] = {
    val order = new CutOrder(sortOrder, keys, input)
    new RoutedRowIterator(rows, to, order, conditions.map(Predicate.create(_, input)).toArray)
  }

  override def received(sent: InternalRow): InternalRow = sent

  override def addCounts(sent: InternalRow, to: SegmentCounts): Unit =
    to.add(sent.asInstanceOf[UnsafeRow])
}

private final class RoutedRowIterator(
    rows: Iterator[InternalRow],
    exchanged: ExchangedPartition,
    order: CutOrder,
    conditions: Array[BasePredicate]
) extends Iterator[Product2[Int, InternalRow]] {
  private val segments = exchanged.segments
  private val counts = new SegmentCounts(segments.size, conditions.length)
  private val routed = new MutablePair[Int, InternalRow]
  private val copies = !OwnShuffle.writesRowsAtOnce
  private var near = 0
  private var isEnded = false

  override def hasNext: Boolean = !isEnded

  override def next(): Product2[Int, InternalRow] =
    if (rows.hasNext) {
      val row = rows.next()
      near = segments.of(row, near, order)
      counts.add(near, row, conditions)
      routed.update(exchanged.first + near, if (copies) row.copy() else row)
    } else if (isEnded) throw new NoSuchElementException
    else {
      isEnded = true
      routed.update(exchanged.ofCounts, counts.row)
    }
}

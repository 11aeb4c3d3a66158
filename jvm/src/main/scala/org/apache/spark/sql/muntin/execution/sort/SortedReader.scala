package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{PeekableRows, RowBatch, RowBatches}

/** Reads rows of `fields` fields in their order. */
private[execution] final class SortedReader(batches: RowBatches, fields: Int)
    extends Iterator[UnsafeRow]
    with PeekableRows {
  private val batch = new RowBatch
  private val current = new UnsafeRow(fields)
  private val following = new UnsafeRow(fields)

  /** Returns the row that was read last. */
  def row: UnsafeRow = current

  override def hasNext: Boolean = batch.hasNext || batches.hasNext

  override def peek: UnsafeRow =
    if (!batch.hasNext) null
    else {
      batch.peek(following)
      following
    }

  override def next(): UnsafeRow = {
    if (!batch.hasNext) {
      if (!batches.hasNext) throw new NoSuchElementException
      batches.fill(batch)
    }
    batch.advance(current)
    current
  }
}

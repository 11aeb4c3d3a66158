package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{LeavesRoom, LooksAhead, RowBatch, RowBatches}

/** Rows in their order, as an iterator of which the next row can be looked at. */
private[execution] final class SortedReader(batches: RowBatches, columns: Int)
    extends Iterator[UnsafeRow]
    with LeavesRoom
    with LooksAhead {
  private val batch = new RowBatch
  private var current = new UnsafeRow(columns)
  private var following = new UnsafeRow(columns)
  // Whether rows have been copied: then it is too late to leave room.
  private var isBegun = false

  override def leaveRoom(fields: Int): Boolean = !isBegun && {
    batches.leaveRoom(fields)
    current = new UnsafeRow(columns + fields)
    following = new UnsafeRow(columns + fields)
    true
  }

  /** The row that was read last. */
  def row: UnsafeRow = current

  override def hasNext: Boolean = batch.hasNext || batches.hasNext

  override def ahead: UnsafeRow =
    if (!batch.hasNext) null
    else {
      batch.peek(following)
      following
    }

  override def next(): UnsafeRow = {
    isBegun = true
    if (!batch.hasNext) {
      if (!batches.hasNext) throw new NoSuchElementException
      batches.fill(batch)
    }
    batch.advance(current)
    current
  }
}

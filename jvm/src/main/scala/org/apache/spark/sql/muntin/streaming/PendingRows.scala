package org.apache.spark.sql.muntin.streaming

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Copies of the rows that wait for their results, the oldest first. If results follow soon, the
 * queue reuses one copy.
 */
private[streaming] final class PendingRows {
  private val rows = new ArrayDeque[UnsafeRow]
  private var spare: UnsafeRow = _

  def clear(): Unit = rows.clear()

  def add(row: UnsafeRow): Unit = {
    val copy =
      if (spare == null) row.copy()
      else {
        spare.copyFrom(row)
        spare
      }
    spare = null
    rows.add(copy): Unit
  }

  /** Returns the oldest row. */
  def oldest: UnsafeRow = rows.peek()

  /** Removes and returns the oldest row, which is valid until the next is added. */
  def take(): UnsafeRow = {
    spare = rows.remove()
    spare
  }
}

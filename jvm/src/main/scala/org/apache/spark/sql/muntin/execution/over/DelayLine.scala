package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.rows.TaskMemory
import org.apache.spark.sql.muntin.spark.RowQueue
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Buffers, in order, the rows that have arrived and whose frames are not ready yet. A few rows are
 * in a ring; further rows are in Spark's own queue of rows, in pages of the task's memory that are
 * spilled when memory is short.
 */
final class DelayLine(
    manager: TaskMemoryManager,
    memory: TaskMemory,
    fields: Int,
    forceSpill: Boolean
) {
  private val ring = new RowRing(memory, fields)
  private var spilled = 0L
  private val queue =
    new RowQueue(manager, fields, forceSpill, (bytes: Long) => spilled += bytes)
  private var queued = 0L
  private var peak = 0L

  def spilledBytes: Long = spilled

  def peakBytes: Long = peak

  def add(row: UnsafeRow): Unit =
    // While a row is in the queue, later rows go to the queue, too.
    if (forceSpill || queued > 0L || !ring.add(row)) {
      queue.add(row)
      queued += 1
      // The peak is checked once for roughly a page of rows.
      if ((queued & 0x3ff) == 1) peak = math.max(peak, queue.usedBytes)
    }

  /** Returns the oldest row, valid until the next call. */
  def remove(): UnsafeRow =
    if (!ring.isEmpty) ring.remove()
    else {
      queued -= 1
      queue.remove()
    }

  def close(): Unit = queue.close()
}

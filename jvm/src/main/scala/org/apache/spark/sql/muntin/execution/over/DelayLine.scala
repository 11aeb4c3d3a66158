package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.rows.TaskMemory
import org.apache.spark.sql.muntin.spark.RowQueue
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows that have arrived and whose frames cannot be told yet, in order. A few wait in a ring;
 * as soon as they are more, in Spark's own queue of rows, in pages of the task's memory that go to
 * disk when memory is short.
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
    // Once a row is in the queue, those that follow it are, too.
    if (forceSpill || queued > 0L || !ring.add(row)) {
      queue.add(row)
      queued += 1
      // Once per page's worth of rows is often enough for a peak.
      if ((queued & 0x3ff) == 1) peak = math.max(peak, queue.usedBytes)
    }

  /** The oldest row; it is valid until the next call. */
  def remove(): UnsafeRow =
    if (!ring.isEmpty) ring.remove()
    else {
      queued -= 1
      queue.remove()
    }

  def close(): Unit = queue.close()
}

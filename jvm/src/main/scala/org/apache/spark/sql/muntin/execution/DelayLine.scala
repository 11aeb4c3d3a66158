package org.apache.spark.sql.muntin.execution

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.SparkShims

/**
 * The rows that have arrived and whose frames cannot be told yet, in order: Spark's own queue of
 * rows, in pages of the task's memory, which go to disk when memory is short.
 */
final class DelayLine(manager: TaskMemoryManager, fields: Int) {
  private var spilled = 0L
  private val queue =
    SparkShims.rowQueue(manager, fields, (bytes: Long) => spilled += bytes)
  private var length = 0L
  private var peak = 0L

  def spilledBytes: Long = spilled

  def peakBytes: Long = peak

  def add(row: UnsafeRow): Unit = {
    queue.add(row): Unit
    length += 1
    // Once per page's worth of rows is often enough for a peak.
    if ((length & 0x3ff) == 1) peak = math.max(peak, queue.getUsed)
  }

  /** The oldest row; it is valid until the next call. */
  def remove(): UnsafeRow = {
    length -= 1
    queue.remove()
  }

  def close(): Unit = queue.close()
}

package org.apache.spark.sql.muntin.spark

import java.io.File

import org.apache.spark.SparkEnv
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.python.SpillingRowQueue
import org.apache.spark.util.Utils

/**
 * Spark's queue of rows, in pages of a task's memory that are spilled under pressure, or always
 * (`forceSpill`); `onSpill` receives the number of spilled bytes.
 */
final class RowQueue(
    manager: TaskMemoryManager,
    fields: Int,
    forceSpill: Boolean,
    onSpill: Long => Unit
) {
  private val queue = new SpillingRowQueue(
    manager,
    new File(Utils.getLocalDir(SparkEnv.get.conf)),
    fields,
    SparkEnv.get.serializerManager,
    if (forceSpill) Some(required => OutOfMemory(required, 0L)) else None,
    onSpill
  )

  def usedBytes: Long = queue.getUsed

  def add(row: UnsafeRow): Unit = queue.put(row)

  /** Removes and returns the oldest row, which is valid until the next call. */
  def remove(): UnsafeRow = queue.remove()

  def close(): Unit = queue.close()
}

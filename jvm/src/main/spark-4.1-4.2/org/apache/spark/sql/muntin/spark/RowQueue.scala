package org.apache.spark.sql.muntin.spark

import java.io.File

import org.apache.spark.SparkEnv
import org.apache.spark.memory.{MemoryConsumer, TaskMemoryManager}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.python.{HybridRowQueue, QueueMode}
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.util.Utils

/**
 * Spark's queue of rows, in pages of a task's memory that go to disk under pressure, or always
 * (`forceSpill`); `onSpill` hears how many bytes go.
 */
final class RowQueue(
    manager: TaskMemoryManager,
    fields: Int,
    forceSpill: Boolean,
    onSpill: Long => Unit
) {
  private val queue = new HybridRowQueue(
    manager,
    new File(Utils.getLocalDir(SparkEnv.get.conf)),
    fields,
    SparkEnv.get.serializerManager
  ) {
    override protected def allocatePage(required: Long): MemoryBlock =
      if (forceSpill) throw OutOfMemory(required, 0L) else super.allocatePage(required)

    // Where the queue itself wants memory that is not there, rows go straight to disk.
    override def add(row: UnsafeRow): QueueMode.Value = {
      val mode = super.add(row)
      if (mode == QueueMode.DISK) onSpill(row.getSizeInBytes.toLong)
      mode
    }

    override def spill(size: Long, trigger: MemoryConsumer): Long = {
      val freed = super.spill(size, trigger)
      onSpill(freed)
      freed
    }
  }

  def usedBytes: Long = queue.getUsed

  def add(row: UnsafeRow): Unit = queue.add(row): Unit

  /** The oldest row; it is valid until the next call. */
  def remove(): UnsafeRow = queue.remove()

  def close(): Unit = queue.close()
}

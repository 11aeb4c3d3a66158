package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.Memory
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.sql.muntin.SparkShims

/**
 * The kernels' memory, counted with the task's memory manager. What is refused is an error of the
 * task, as in Spark's own operators; what was granted is given back by `releaseAll` when the task
 * ends, however it ends.
 */
final class TaskMemory(manager: TaskMemoryManager)
    extends MemoryConsumer(manager, MemoryMode.ON_HEAP)
    with Memory {
  private var peak = 0L

  def peakBytes: Long = peak

  override def acquire(bytes: Long): Unit = {
    val granted = acquireMemory(bytes)
    if (granted < bytes) {
      freeMemory(granted)
      throw SparkShims.outOfMemory(requested = bytes, granted = granted)
    }
    peak = math.max(peak, getUsed)
  }

  /** Takes all or nothing, where there is another way without. */
  def tryAcquire(bytes: Long): Boolean = {
    val granted = acquireMemory(bytes)
    if (granted < bytes) freeMemory(granted) else peak = math.max(peak, getUsed)
    granted >= bytes
  }

  override def release(bytes: Long): Unit = freeMemory(bytes)

  def releaseAll(): Unit = freeMemory(getUsed)

  // The kernels' rings are in use at every row: nothing here can be given up for others.
  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
}

package org.apache.spark.sql.muntin.execution.sort

import io.muntin.kernel.memory.Memory
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.sql.muntin.spark.OutOfMemory
import org.apache.spark.unsafe.memory.MemoryBlock

/**
 * The memory of a sort, counted with the task's memory manager: pages for rows, and bytes of
 * arrays. If memory is refused, it throws an error, and the sort makes room itself. If another
 * operator requests memory, `giveUp` frees memory and returns how many bytes.
 */
private[execution] final class SortMemory(
    manager: TaskMemoryManager,
    mode: MemoryMode,
    giveUp: MemoryConsumer => Long
) extends MemoryConsumer(manager, manager.pageSizeBytes, mode)
    with Memory {
  private var peak = 0L

  def peakBytes: Long = peak

  def pageBytes: Long = manager.pageSizeBytes

  /** Returns a page of the usual size, or of `least` bytes if `least` is more. */
  def newPage(least: Long): MemoryBlock = {
    val page = allocatePage(least)
    peak = math.max(peak, getUsed)
    page
  }

  def free(page: MemoryBlock): Unit = freePage(page)

  override def acquire(bytes: Long): Unit = {
    val granted = acquireMemory(bytes)
    if (granted < bytes) {
      freeMemory(granted)
      throw OutOfMemory(requested = bytes, granted = granted)
    }
    peak = math.max(peak, getUsed)
  }

  override def release(bytes: Long): Unit = freeMemory(bytes)

  override def spill(size: Long, trigger: MemoryConsumer): Long = giveUp(trigger)
}

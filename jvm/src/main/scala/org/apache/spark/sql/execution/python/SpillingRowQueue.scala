package org.apache.spark.sql.execution.python

import java.io.File

import org.apache.spark.memory.{MemoryConsumer, TaskMemoryManager}
import org.apache.spark.serializer.SerializerManager
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.memory.MemoryBlock

/** Spark's queue of rows: before Spark 4.1, only this package has access to it. */
class SpillingRowQueue(
    manager: TaskMemoryManager,
    directory: File,
    fields: Int,
    serializers: SerializerManager,
    refusal: Option[Long => OutOfMemoryError],
    onSpill: Long => Unit
) extends PythonRowQueue(manager, directory, fields, serializers) {
  // Spark's field for the queue that receives rows does not reveal where the queue is: in memory if
  // a page was granted when it was created, else on disk.
  private var isGranted = false
  private var isOnDisk = false

  override protected def allocatePage(required: Long): MemoryBlock = {
    val page = refusal.fold(super.allocatePage(required))(error => throw error(required))
    isGranted = true
    page
  }

  def put(row: UnsafeRow): Unit = {
    val queues = numQueues()
    isGranted = false
    add(row)
    if (numQueues() > queues) isOnDisk = !isGranted
    if (isOnDisk) onSpill(row.getSizeInBytes.toLong)
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = {
    val freed = super.spill(size, trigger)
    onSpill(freed)
    freed
  }
}

package org.apache.spark.sql.execution.python

import java.io.File

import org.apache.spark.memory.{MemoryConsumer, TaskMemoryManager}
import org.apache.spark.serializer.SerializerManager
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.memory.MemoryBlock

/** Spark's queue of rows: before Spark 4.1 only this package may name it. */
class SpillingRowQueue(
    manager: TaskMemoryManager,
    directory: File,
    fields: Int,
    serializers: SerializerManager,
    refusal: Option[Long => OutOfMemoryError],
    onSpill: Long => Unit
) extends HybridRowQueue(manager, directory, fields, serializers) {
  override protected def allocatePage(required: Long): MemoryBlock =
    refusal.fold(super.allocatePage(required))(error => throw error(required))

  // Where the queue itself wants memory that is not there, rows go straight to disk. A queue on
  // disk that is new is the only sign: of the rows that it takes, the first is counted.
  override def add(row: UnsafeRow): Boolean = {
    val queues = numQueues()
    val isAdded = super.add(row)
    if (numQueues() > queues && getUsed == 0L) onSpill(row.getSizeInBytes.toLong)
    isAdded
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = {
    val freed = super.spill(size, trigger)
    onSpill(freed)
    freed
  }
}

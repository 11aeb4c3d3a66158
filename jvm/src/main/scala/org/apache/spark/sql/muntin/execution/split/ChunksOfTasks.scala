package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._

/**
 * Finds the chunk of each task. A task has its own copy of this object, which the reader of the
 * rows and the window operator above the reader share: the operator calls `begin`, then the reader
 * calls `read`. `chunkOf` finds a task's chunk when the task begins to read. `isPartial` is true
 * for each task that reads only the rows that its chunk requests, and not all rows.
 */
final class ChunksOfTasks(
    chunkOf: Int => Chunk,
    isPartial: Array[Boolean],
    halo: Halo,
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute]
) extends Serializable {
  def order: CutOrder = new CutOrder(sortOrder, keys, input)

  @transient private lazy val begun = mutable.HashMap.empty[Int, Option[ChunkRows]]

  /**
   * Starts the task's chunk, before the task's rows are read; None if the task has whole
   * partitions.
   */
  def begin(partition: Int): Option[ChunkRows] = {
    val chunk = chunkOf(partition)
    val rows =
      if (chunk == Chunk.Whole) None
      else Some(new ChunkRows(chunk, halo, order, isPartial(partition)))
    begun.put(partition, rows): Unit
    rows
  }

  /** Returns the chunk that `begin` started. The reader of the rows calls it once. */
  def read(partition: Int): Option[ChunkRows] = begun
    .remove(partition)
    .getOrElse(throw new IllegalStateException(s"partition $partition has not begun"))
}

package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._

/**
 * The chunk of each task: a task has its own copy of this, which what reads the rows and what is
 * above it in the task have in common. `chunkOf` is asked when a task begins with its rows;
 * `isPartial`: of a task, whether it gets rows that its chunk asks for, and not all.
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

  /** Before its rows are read; None where it has all. */
  def begin(partition: Int): Option[ChunkRows] = {
    val chunk = chunkOf(partition)
    val rows =
      if (chunk == Chunk.Whole) None
      else Some(new ChunkRows(chunk, halo, order, isPartial(partition)))
    begun.put(partition, rows): Unit
    rows
  }

  /** What has begun, for who reads its rows, once. */
  def read(partition: Int): Option[ChunkRows] = begun
    .remove(partition)
    .getOrElse(throw new IllegalStateException(s"nobody has begun with partition $partition"))
}

package org.apache.spark.sql.muntin.execution

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._

/**
 * The chunk of each task: a task has its own copy of this, which what reads the rows and what is above it in the task
 * have in common.
 */
final class ChunksOfTasks(
    chunks: Array[Chunk],
    halo: Halo,
    sortOrder: Seq[SortOrder],
    keys: Int,
    input: Seq[Attribute]
) extends Serializable {
  @transient private lazy val begun = mutable.HashMap.empty[Int, Option[ChunkRows]]

  /** Before its rows are read; None where it has all. */
  def begin(partition: Int): Option[ChunkRows] = {
    val rows =
      if (chunks(partition) == Chunk.Whole) None
      else Some(new ChunkRows(chunks(partition), halo, new CutOrder(sortOrder, keys, input)))
    begun.put(partition, rows): Unit
    rows
  }

  /** What has begun. */
  def apply(partition: Int): Option[ChunkRows] = begun.getOrElse(
    partition,
    throw new IllegalStateException(s"partition $partition is not read in this task")
  )
}

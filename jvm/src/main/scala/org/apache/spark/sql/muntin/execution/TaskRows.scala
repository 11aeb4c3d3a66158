package org.apache.spark.sql.muntin.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

/**
 * What the task of a window operator reads: its rows, sorted; where these are a chunk's, with its halo, which they
 * are, once the first of them has come; and the rows of the same partition that come `earlier`, in any order, where
 * frames hold them, to be read after that.
 */
final case class TaskRows(
    sorted: Iterator[InternalRow],
    chunk: Option[ChunkRows] = None,
    earlier: Iterator[InternalRow] = Iterator.empty
)

object TaskRows {

  /** One for each task of `sorted`, which sorts what `read` reads. */
  def execute(sorted: SparkPlan, read: SplitReadExec): RDD[TaskRows] = {
    val chunkOf = read.chunksOfTasks
    val chunks = sorted.execute().mapPartitionsWithIndexInternal { (task, rows) =>
      Iterator.single(TaskRows(rows, chunkOf(task)))
    }
    read.executeEarlier().fold(chunks) { earlier =>
      chunks.zipPartitions(earlier)((tasks, rows) => tasks.map(_.copy(earlier = rows)))
    }
  }
}

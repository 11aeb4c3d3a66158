package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.conf.MuntinConf

/**
 * What the task of a window operator reads: its rows, sorted. Where the rows are those of a `chunk`
 * with its halo, the chunk is complete once the first row has come.
 */
final class TaskRows(val sorted: Iterator[InternalRow], begin: => Option[ChunkRows]) {
  lazy val chunk: Option[ChunkRows] = begin
}

object TaskRows {

  /** The rows of a task that has whole partitions. */
  def apply(sorted: Iterator[InternalRow]): TaskRows = new TaskRows(sorted, None)

  /** The rows of each task of `sorted`. With `isSplit` some partitions are split into chunks. */
  def execute(sorted: SparkPlan, isSplit: Boolean): RDD[TaskRows] =
    if (isSplit) {
      val read = sorted
        .collectFirst { case read: SplitReadExec => read }
        .getOrElse(throw new IllegalStateException(lost(sorted)))
      new TaskRowsRDD(sorted.execute(), read.chunksOfTasks)
    } else sorted.execute().mapPartitionsInternal(rows => Iterator.single(TaskRows(rows)))

  private def lost(sorted: SparkPlan): String =
    "A partition is split, and MuntinSplitRead, which would say what each task has of it, is " +
      "gone from below: another extension may have replaced it. Set " +
      s"${MuntinConf.SplitEnabled.key} to false. The plan below:\n$sorted"
}

/**
 * Opens nothing before rows are asked for: where rows need no sort, they go from the shuffle to the
 * operator one by one.
 */
private final class TaskRowsRDD(sorted: RDD[InternalRow], chunks: ChunksOfTasks)
    extends RDD[TaskRows](sorted) {

  override protected def getPartitions: Array[Partition] = firstParent[InternalRow].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[TaskRows] = {
    lazy val chunk = chunks.begin(split.index)
    val rows = new DeferredRows({ () =>
      chunk: Unit
      firstParent[InternalRow].iterator(split, context)
    })
    Iterator.single(new TaskRows(rows, chunk))
  }
}

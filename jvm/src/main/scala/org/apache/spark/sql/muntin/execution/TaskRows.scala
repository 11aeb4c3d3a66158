package org.apache.spark.sql.muntin.execution

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

/**
 * What the task of a window operator reads: its rows, sorted; where these are a chunk's, with its halo, which they
 * are, once the first of them has come.
 */
final case class TaskRows(sorted: Iterator[InternalRow], chunk: Option[ChunkRows] = None)

object TaskRows {

  /** One for each task of `sorted`, which sorts what `read` reads. */
  def execute(sorted: SparkPlan, read: SplitReadExec): RDD[TaskRows] =
    new TaskRowsRDD(sorted.execute(), read.chunksOfTasks)
}

/** Nothing is read before the first row is asked for: rows that no sort needs go from the shuffle to who asks. */
private final class TaskRowsRDD(sorted: RDD[InternalRow], chunks: ChunksOfTasks)
    extends RDD[TaskRows](sorted) {

  override protected def getPartitions: Array[Partition] = firstParent[InternalRow].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[TaskRows] = {
    val chunk = chunks.begin(split.index)
    val rows = new DeferredRows(() => firstParent[InternalRow].iterator(split, context))
    Iterator.single(TaskRows(rows, chunk))
  }
}

private final class DeferredRows(open: () => Iterator[InternalRow]) extends Iterator[InternalRow] {
  private var rows: Iterator[InternalRow] = _

  override def hasNext: Boolean = {
    if (rows == null) rows = open()
    rows.hasNext
  }

  override def next(): InternalRow =
    if (hasNext) rows.next() else throw new NoSuchElementException
}

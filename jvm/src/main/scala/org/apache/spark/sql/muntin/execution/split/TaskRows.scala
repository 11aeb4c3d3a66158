package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.rows.SupportsRowAppend
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

/**
 * The sorted rows that the task of a window operator reads. If the rows belong to a `chunk` with
 * its halo, the chunk is complete once the first row has been read.
 */
final class TaskRows(val sorted: Iterator[InternalRow], begin: => Option[ChunkRows]) {
  lazy val chunk: Option[ChunkRows] = begin
}

object TaskRows {

  /**
   * Computes the `results` of each task over its rows of `sorted`.
   *
   * @param isSplit
   *   whether some partitions are split into chunks
   * @param reserved
   *   how many fields rows have reserved, if the operator writes its results to them
   */
  def map(sorted: SparkPlan, isSplit: Boolean, reserved: Option[Int] = None)(
      results: TaskRows => Iterator[InternalRow]
  ): RDD[InternalRow] = {
    val rows = SupportsRowAppend.rows(sorted, reserved)
    if (isSplit) chunked(sorted, rows).mapPartitionsInternal(of => results(of.next()))
    else rows.mapPartitionsInternal(of => results(new TaskRows(of, None)))
  }

  /** Computes the `results` of each task over its rows of both sides, as `map` does for one. */
  def zip(left: SparkPlan, right: SparkPlan, isSplit: Boolean, reserved: Option[Int] = None)(
      results: (TaskRows, TaskRows) => Iterator[InternalRow]
  ): RDD[InternalRow] = {
    val (ofLeft, ofRight) = (SupportsRowAppend.rows(left, reserved), right.execute())
    if (isSplit) {
      chunked(left, ofLeft).zipPartitions(chunked(right, ofRight)) { (l, r) =>
        results(l.next(), r.next())
      }
    } else {
      ofLeft.zipPartitions(ofRight) { (l, r) =>
        results(new TaskRows(l, None), new TaskRows(r, None))
      }
    }
  }

  private def chunked(sorted: SparkPlan, rows: RDD[InternalRow]): RDD[TaskRows] = {
    val read = sorted
      .collectFirst { case read: SplitReadExec => read }
      .getOrElse {
        throw new MuntinRuntimeException(
          "MUNTIN_SPLIT_READ_REMOVED",
          "setting" -> MuntinConf.SplitEnabled.key,
          "plan" -> sorted.toString
        )
      }
    new TaskRowsRDD(rows, read.chunksOfTasks)
  }

}

/**
 * Opens nothing before the first row is requested: if rows need no sort, they go from the shuffle
 * to the operator one by one.
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

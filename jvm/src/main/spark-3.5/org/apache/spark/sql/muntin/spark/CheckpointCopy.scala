package org.apache.spark.sql.muntin.spark

import org.apache.spark.rdd.RDD

/** A copy of a checkpoint with other state: not supported on Spark 3.5. */
final class CheckpointCopy(from: StoredCheckpoint, to: String, restoredAs: Option[Long] = None) {
  require(from != null && to != null && restoredAs != null)

  def isFree: Boolean = Streams.unsupported

  def writeState[T, R](operator: Long, rows: RDD[T])(
      write: (StateOfPartition, Iterator[T]) => R
  ): Seq[R] = Streams.unsupported

  def copyOffsets(): Unit = Streams.unsupported

  def copyOffsets(partitions: Int): Unit = Streams.unsupported

  def copyStates(operators: Seq[StoredOperator], moved: Option[Int]): Unit = Streams.unsupported

  def copyOperators(): Unit = Streams.unsupported

  def finish(): Unit = Streams.unsupported

  def orDelete[T](body: => T): T = Streams.unsupported
}

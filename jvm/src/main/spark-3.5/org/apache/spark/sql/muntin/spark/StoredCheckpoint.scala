package org.apache.spark.sql.muntin.spark

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession

/** An operator with state in a checkpoint. */
final case class StoredOperator(
    number: Long,
    name: String,
    partitions: Int,
    properties: Map[String, String],
    stores: Seq[String]
) {
  def isOfWindows: Boolean = Streams.unsupported

  def title: String = Streams.unsupported
}

/** The state of all operators of a checkpoint: not supported on Spark 3.5. */
final class StoredCheckpoint private () {
  def isOfUpdate: Boolean = Streams.unsupported

  def sources: Int = Streams.unsupported

  def version: Long = Streams.unsupported

  def operators: Seq[StoredOperator] = Streams.unsupported

  def windows: Seq[StoredOperator] = Streams.unsupported

  def operatorsOfSpark: Seq[StoredOperator] = Streams.unsupported

  def read[T: ClassTag](operator: StoredOperator)(
      rows: (Int, StateOfPartition) => Iterator[T]
  ): RDD[T] = Streams.unsupported

  def problems(operator: StoredOperator)(read: (Int, StateOfPartition) => Unit): Seq[String] =
    Streams.unsupported

  def batch: Long = Streams.unsupported

  def isInUse: Boolean = Streams.unsupported
}

object StoredCheckpoint {
  def apply(session: SparkSession, last: CommittedBatch): StoredCheckpoint = Streams.unsupported
}

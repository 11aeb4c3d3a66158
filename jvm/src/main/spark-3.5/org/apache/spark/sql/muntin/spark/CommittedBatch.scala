package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.SparkSession

/** The last micro-batch that a query's checkpoint has committed. */
final class CommittedBatch private (
    /** The checkpoint's folder. */
    val checkpoint: String,

    /** The micro-batch's number, from 0. */
    val number: Long,
    val isOfHistory: Boolean
)

final case class LoggedBatch(number: Long, isPlanned: Boolean, isCommitted: Boolean)

object CommittedBatch {
  def isCheckpoint(session: SparkSession, folder: String): Option[Boolean] = Streams.unsupported

  def last(session: SparkSession, checkpoint: String): Option[CommittedBatch] = Streams.unsupported

  def at(session: SparkSession, checkpoint: String, number: Long): Option[CommittedBatch] =
    Streams.unsupported

  def logged(session: SparkSession, checkpoint: String): Seq[LoggedBatch] = Streams.unsupported
}

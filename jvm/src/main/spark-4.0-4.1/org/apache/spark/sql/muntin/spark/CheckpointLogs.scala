package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.{
  CommitLog,
  CommitMetadata,
  OffsetSeq,
  OffsetSeqLog,
  OffsetSeqMetadata
}
import org.apache.spark.sql.internal.SQLConf

/** Reads the micro-batches from a checkpoint's logs, without writing to the logs. */
private[spark] object CheckpointLogs {
  type Times = OffsetSeqMetadata
  type Committed = CommitMetadata

  def commits(session: SparkSession, folder: String): CommitLog = new CommitLog(session, folder)

  def offsets(session: SparkSession, folder: String): OffsetSeqLog =
    new OffsetSeqLog(session, folder)

  def times(offsets: OffsetSeq): Option[Times] = offsets.metadata

  /** Returns the times of the next micro-batch. */
  def next(before: Times, watermark: Long, clock: Long): Times = before.copy(watermark, clock)

  /** Sets the settings in the checkpoint in a query's session. */
  def keepSettings(times: Times, conf: SQLConf): Unit =
    OffsetSeqMetadata.setSessionConf(times, conf)
}

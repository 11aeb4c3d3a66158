package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing._
import org.apache.spark.sql.internal.SQLConf

/** Reads the micro-batches from a checkpoint's logs, without writing to the logs. */
private[spark] object CheckpointLogs {
  type Times = OffsetSeqMetadataBase
  type Committed = CommitMetadataBase

  def commits(session: SparkSession, folder: String): CommitLog =
    new CommitLog(session, folder, true)

  def offsets(session: SparkSession, folder: String): OffsetSeqLog =
    new OffsetSeqLog(session, folder, true)

  def times(offsets: OffsetSeqBase): Option[Times] = offsets.metadataOpt

  /** Returns the times of the next micro-batch. */
  def next(before: Times, watermark: Long, clock: Long): Times = before match {
    case v1: OffsetSeqMetadata => v1.copy(watermark, clock)
    case v2: OffsetSeqMetadataV2 => v2.copy(watermark, clock)
    case other => OffsetSeqMetadata(watermark, clock, other.conf)
  }

  /** Sets the settings in the checkpoint in a query's session. */
  def keepSettings(times: Times, conf: SQLConf): Unit =
    OffsetSeqMetadata.setSessionConf(times, conf)
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.RuntimeConfig
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing._
import org.apache.spark.sql.internal.SQLConf

/** Reads the micro-batches from a checkpoint's logs, without writing to the logs. */
private[spark] object CheckpointLogs {
  type Times = OffsetSeqMetadataBase
  type Committed = CommitMetadataBase

  type Commits = CommitLog

  def commits(session: SparkSession, folder: String): CommitLog =
    new CommitLog(session, folder, true)

  def offsets(session: SparkSession, folder: String): OffsetSeqLog =
    new OffsetSeqLog(session, folder, true)

  def times(offsets: OffsetSeqBase): Option[Times] = offsets.metadataOpt

  /** Returns the number of sources. */
  def sources(offsets: OffsetSeqBase): Int = offsets.offsets.size

  /** Returns true if no source has an offset. */
  def lackOffsets(offsets: OffsetSeqBase): Boolean = offsets.offsets.forall(_.isEmpty)

  /** Returns the times of the next micro-batch. */
  def next(before: Times, watermark: Long, clock: Long): Times = before match {
    case v1: OffsetSeqMetadata => v1.copy(watermark, clock)
    case v2: OffsetSeqMetadataV2 => v2.copy(watermark, clock)
    case other => OffsetSeqMetadata(watermark, clock, other.conf)
  }

  /** Sets the settings in the checkpoint in a query's session. */
  def keepSettings(times: Times, conf: SQLConf): Unit =
    OffsetSeqMetadata.setSessionConf(times, conf)

  /** Returns the times of a micro-batch, with the settings of the session that a query keeps. */
  def firstTimes(watermark: Long, clock: Long, conf: RuntimeConfig): Times =
    OffsetSeqMetadata(watermark, clock, conf)

  /** Plans a first micro-batch, without offsets of the sources. */
  def planFirst(session: SparkSession, checkpoint: String, sources: Int, times: Times): Unit =
    new OffsetSeqLog(session, s"$checkpoint/offsets").add(
      0L,
      OffsetSeq(Seq.fill(sources)(None), Some(firstVersion(times)))
    ): Unit

  /** Commits a first micro-batch, with the ids of its state stores. */
  def commitFirst(
      session: SparkSession,
      checkpoint: String,
      times: Times,
      ids: Option[Map[Long, Array[Array[String]]]]
  ): Unit = {
    val commits = new CommitLog(session, s"$checkpoint/commits")
    val version = if (ids.isDefined) CommitLog.VERSION_2 else CommitLog.VERSION_1
    commits.add(
      0L,
      commits.createMetadata(times.batchWatermarkMs, ids, commitLogFormatVersion = version)
    ): Unit
  }

  private def firstVersion(times: Times): OffsetSeqMetadata = times match {
    case v1: OffsetSeqMetadata => v1
    case other => OffsetSeqMetadata(other.batchWatermarkMs, other.batchTimestampMs, other.conf)
  }
}

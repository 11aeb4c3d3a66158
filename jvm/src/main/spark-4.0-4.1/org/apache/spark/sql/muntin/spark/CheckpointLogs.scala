package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.RuntimeConfig
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

  type Commits = CommitLog

  def commits(session: SparkSession, folder: String): CommitLog = new CommitLog(session, folder)

  def offsets(session: SparkSession, folder: String): OffsetSeqLog =
    new OffsetSeqLog(session, folder)

  def times(offsets: OffsetSeq): Option[Times] = offsets.metadata

  /** Returns the number of sources. */
  def sources(offsets: OffsetSeq): Int = offsets.offsets.size

  /** Returns true if no source has an offset. */
  def lackOffsets(offsets: OffsetSeq): Boolean = offsets.offsets.forall(_.isEmpty)

  /** Returns the times of the next micro-batch. */
  def next(before: Times, watermark: Long, clock: Long): Times = before.copy(watermark, clock)

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
      OffsetSeq(Seq.fill(sources)(None), Some(times))
    ): Unit

  /** Commits a first micro-batch, with the ids of its state stores. */
  def commitFirst(
      session: SparkSession,
      checkpoint: String,
      times: Times,
      ids: Option[Map[Long, Array[Array[String]]]]
  ): Unit = {
    val commits = new CommitLog(session, s"$checkpoint/commits")
    commits.add(0L, CommitMetadata(times.batchWatermarkMs, ids)): Unit
  }
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.spark.{CommittedBatch, MuntinAnalysisException}

/** Checks folders that functions read as checkpoints. */
private[muntin] object CheckpointFolder {

  /** Fails unless a query has started in the folder. */
  def check(session: SparkSession, checkpoint: String): Unit =
    CommittedBatch.isCheckpoint(session, checkpoint) match {
      case Some(true) =>
      case Some(false) =>
        throw new MuntinAnalysisException("MUNTIN_NOT_A_CHECKPOINT", "path" -> checkpoint)
      case None =>
        throw new MuntinAnalysisException("MUNTIN_CHECKPOINT_NOT_FOUND", "path" -> checkpoint)
    }
}

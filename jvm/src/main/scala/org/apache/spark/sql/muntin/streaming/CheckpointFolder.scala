package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.spark.{
  CommittedBatch,
  MuntinAnalysisException,
  QueryDifference,
  StoredCheckpoint,
  StoredOperator
}

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

  /** Returns the checkpoint in the folder. Fails if it has no committed micro-batch. */
  def stored(session: SparkSession, checkpoint: String): StoredCheckpoint = {
    check(session, checkpoint)
    StoredCheckpoint(session, checkpoint).getOrElse {
      throw new MuntinAnalysisException(
        "MUNTIN_CHECKPOINT_WITHOUT_BATCH",
        "checkpoint" -> checkpoint
      )
    }
  }

  /** Fails if the state of an operator of the checkpoint has another layout. */
  def checkLayout(operator: StoredOperator, checkpoint: String): Unit = {
    val current = StreamStore.LayoutVersion.toString
    val stored = operator.properties.get(QueryDifference.Layout)
    if (!stored.contains(current)) {
      throw QueryDifference(QueryDifference.Layout, stored.orElse(Some("none")), Some(current))
        .error(checkpoint)
    }
  }
}

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

  /**
   * Returns a committed micro-batch: the last, or the micro-batch with a number. Returns None if no
   * micro-batch has been committed, and fails if the checkpoint does not have the number.
   */
  def committed(
      session: SparkSession,
      checkpoint: String,
      batch: Option[Long]
  ): Option[CommittedBatch] = batch match {
    case None => CommittedBatch.last(session, checkpoint)
    case Some(number) =>
      val found = CommittedBatch.at(session, checkpoint, number)
      if (found.isEmpty) throw notKept(session, checkpoint, number)
      found
  }

  /** Returns the error of a checkpoint that does not have a micro-batch. */
  def notKept(session: SparkSession, checkpoint: String, batch: Long): MuntinAnalysisException = {
    val all = CommittedBatch.logged(session, checkpoint).filter(_.isCommitted).map(_.number)
    new MuntinAnalysisException(
      "MUNTIN_BATCH_NOT_KEPT",
      "checkpoint" -> checkpoint,
      "batch" -> batch.toString,
      "kept" -> (if (all.isEmpty) "none" else s"${all.last} to ${all.head}")
    )
  }

  /** Returns the error of a checkpoint that has no committed micro-batch. */
  def withoutBatch(checkpoint: String): MuntinAnalysisException =
    new MuntinAnalysisException("MUNTIN_CHECKPOINT_WITHOUT_BATCH", "checkpoint" -> checkpoint)

  /**
   * Returns the checkpoint in the folder, after the last micro-batch or `batch`. Fails if no
   * micro-batch has been committed.
   */
  def stored(
      session: SparkSession,
      checkpoint: String,
      batch: Option[Long] = None
  ): StoredCheckpoint = {
    check(session, checkpoint)
    committed(session, checkpoint, batch).map(StoredCheckpoint(session, _))
      .getOrElse(throw withoutBatch(checkpoint))
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

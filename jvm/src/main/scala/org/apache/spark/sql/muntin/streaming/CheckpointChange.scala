package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.spark.{ChangedQuery, CheckpointCopy, MuntinAnalysisException}

/**
 * Determines whether a changed query can continue a checkpoint, and copies the checkpoint for it.
 *
 * @param outputsUpdates
 *   whether the query starts in output mode update; None for the mode in the checkpoint
 */
private[muntin] final class CheckpointChange(
    session: SparkSession,
    query: LogicalPlan,
    checkpoint: String,
    outputsUpdates: Option[Boolean]
) {
  private val from = CheckpointFolder.stored(session, checkpoint)
  private val required = new CheckpointRequirements("change", checkpoint)
  private val changed = new ChangedQuery(query, from, outputsUpdates.getOrElse(from.isOfUpdate))
  check()
  private val changes = new ChangePlan(from, changed).changes

  /** The number of the micro-batch that follows the checkpoint. */
  def nextBatch: Long = from.version

  /** Returns what becomes of each window function. */
  lazy val windows: Seq[WindowChange] = changes.flatMap(_.windows)

  private def check(): Unit = {
    required.requireOperatorsOfSpark(from, changed.operatorsOfSpark)
    from.windows.foreach(CheckpointFolder.checkLayout(_, checkpoint))
    required.requireSources(from, changed.sources)
  }

  /**
   * Copies the checkpoint to this folder, with the state of the changed query. Fails if windows
   * restart or are dropped, unless `allowsIncomplete`. If the copy fails, deletes the folder.
   */
  def copyTo(to: String, allowsIncomplete: Boolean): Unit = {
    val copy = new CheckpointCopy(from, to)
    required.requireFree(to, copy.isFree)
    checkAllowed(allowsIncomplete)
    copy.orDelete {
      copy.copyOffsets()
      // Before the changed query's descriptions: Spark compares them with its stored schemas.
      copy.copyStates(from.operatorsOfSpark, moved = None)
      changed.writeMetadata(to)
      changes.foreach(_.write(from, copy))
      copy.finish()
    }
  }

  /** Fails if `copyTo` would not copy the checkpoint. */
  def checkAllowed(allowsIncomplete: Boolean): Unit = {
    required.requireUnused(from)
    val dropped = changes.collect { case operator: DroppedOperator => operator }
    val lacking = changes.diff(dropped).flatMap(_.windows)
    def refuse(condition: String, windows: Seq[WindowChange]): Unit = windows.headOption.foreach {
      window =>
        throw error(
          condition,
          "window" -> window.function.fold(window.window)(f => s"${window.window}: $f"),
          "windows" -> windows.size.toString
        )
    }
    refuse("MUNTIN_CHANGE_NEEDS_HISTORY", lacking.filter(_.action == ChangeAction.NeedsHistory))
    if (!allowsIncomplete) {
      refuse(
        "MUNTIN_INCOMPLETE_CHANGE",
        lacking.filter(_.action == ChangeAction.Restarts) ++ dropped.flatMap(_.windows)
      )
    }
  }

  private def error(condition: String, parameters: (String, String)*): MuntinAnalysisException =
    new MuntinAnalysisException(condition, ("checkpoint" -> checkpoint) +: parameters: _*)
}

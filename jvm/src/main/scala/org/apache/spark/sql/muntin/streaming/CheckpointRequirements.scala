package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.muntin.spark.{MuntinAnalysisException, StoredCheckpoint, StoredOperator}

/** What a command requires of the checkpoint that it reads and of the folder that it writes. */
private[streaming] final class CheckpointRequirements(command: String, checkpoint: String) {

  /** Fails unless the folder is absent or empty. */
  def requireFree(folder: String, isFree: Boolean): Unit =
    if (!isFree) {
      throw new MuntinAnalysisException(
        "MUNTIN_CHECKPOINT_TARGET_NOT_EMPTY",
        "command" -> command,
        "path" -> folder
      )
    }

  /** Fails if a query of this application is running with the checkpoint. */
  def requireUnused(from: StoredCheckpoint): Unit =
    if (from.isInUse) throw error("MUNTIN_CHECKPOINT_IN_USE")

  /** Fails unless the query has the number of sources that the checkpoint has. */
  def requireSources(from: StoredCheckpoint, ofQuery: Int): Unit = if (from.sources != ofQuery) {
    throw new MuntinAnalysisException(
      "MUNTIN_CHANGE_OF_SOURCES",
      "checkpoint" -> checkpoint,
      "stored" -> from.sources.toString,
      "current" -> ofQuery.toString
    )
  }

  /** Fails if the checkpoint or the query has a stateful operator of Spark. */
  def requireOnlyWindows(from: StoredCheckpoint, ofQuery: Option[String] = None): Unit =
    from.operators.map(_.name).find(_ != StreamWindowsExec.ShortName).orElse(ofQuery)
      .foreach { operator =>
        throw error("MUNTIN_CHECKPOINT_WITH_STATEFUL_OPERATOR", "operator" -> operator)
      }

  /** Returns Muntin's operators in the checkpoint. Fails if there are none. */
  def windows(from: StoredCheckpoint): Seq[StoredOperator] = {
    val windows = from.operators.filter(_.name == StreamWindowsExec.ShortName)
    if (windows.isEmpty) throw error("MUNTIN_CHECKPOINT_WITHOUT_WINDOWS")
    windows.foreach(CheckpointFolder.checkLayout(_, checkpoint))
    windows
  }

  private def error(condition: String, parameters: (String, String)*): MuntinAnalysisException =
    new MuntinAnalysisException(
      condition,
      Seq("command" -> command, "checkpoint" -> checkpoint) ++ parameters: _*
    )
}

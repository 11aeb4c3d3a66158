package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.muntin.spark.{
  MuntinAnalysisException,
  SparkStates,
  StoredCheckpoint,
  StoredOperator
}

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

  /** Fails unless the query has the checkpoint's operators of Spark, and with the same numbers. */
  def requireOperatorsOfSpark(from: StoredCheckpoint, ofQuery: Seq[(Long, String)]): Unit = {
    def shown(operators: Seq[(Long, String)]) =
      operators.map { case (number, name) => s"$number $name" }.mkString("[", ", ", "]")
    val stored = operatorsOfSpark(from).map(o => o.number -> o.name)
    if (stored != ofQuery.sorted) {
      throw new MuntinAnalysisException(
        "MUNTIN_CHANGE_OF_STATEFUL_OPERATORS",
        "checkpoint" -> checkpoint,
        "stored" -> shown(stored),
        "current" -> shown(ofQuery.sorted)
      )
    }
  }

  /** Returns Spark's operators in the checkpoint. Fails if their state cannot be copied. */
  def operatorsOfSpark(from: StoredCheckpoint): Seq[StoredOperator] = {
    val ofSpark = from.operatorsOfSpark
    ofSpark.find(!SparkStates.supports(_)).foreach { operator =>
      throw error("MUNTIN_CHECKPOINT_WITH_STATEFUL_OPERATOR", "operator" -> operator.name)
    }
    ofSpark
  }

  /** Returns Muntin's operators in the checkpoint. Fails if there are none. */
  def windows(from: StoredCheckpoint): Seq[StoredOperator] = {
    val windows = from.windows
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

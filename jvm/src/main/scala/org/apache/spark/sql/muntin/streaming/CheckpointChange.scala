package org.apache.spark.sql.muntin.streaming

import scala.util.matching.Regex

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.spark.{
  ChangedQuery,
  CheckpointCopy,
  FormerNames,
  MuntinAnalysisException
}

/** Compares a changed query with a checkpoint, and copies the checkpoint for the query. */
private[muntin] final class CheckpointChange(
    session: SparkSession,
    query: LogicalPlan,
    request: ChangeRequest
) {
  import request.{allowsIncomplete, checkpoint}

  private val from = CheckpointFolder.stored(session, checkpoint)
  private val required = new CheckpointRequirements("change", checkpoint)
  private val isUpdate = request.outputsUpdates.getOrElse(from.isOfUpdate)
  private val current = new ChangedQuery(query, from, isUpdate)
  private val names = new FormerNames(query, request.renamed)
  // The state has the names before the change.
  private val changed =
    if (request.renamed.isEmpty) current else new ChangedQuery(names.plan, from, isUpdate)
  check()
  private val changes = new ChangePlan(from, changed, current, names(_)).changes

  /** The number of the micro-batch that follows the checkpoint. */
  def nextBatch: Long = from.version

  /** Returns what becomes of each window function. */
  lazy val windows: Seq[WindowChange] = {
    val found = changes.flatMap(_.windows)
    if (request.renamed.isEmpty) found else found.map(named)
  }

  /** Returns the change with the names in the changed query. */
  private def named(change: WindowChange): WindowChange =
    change.operator.flatMap(pairs.get).fold(change) { case (former, now) =>
      def readable(operator: StreamWindowsExec) =
        OperatorChange.functionsOf(operator.storedProperties).map(OperatorChange.readable)
      val functions = readable(former).zip(readable(now)).toMap
      def name(former: String) = request.renamed.getOrElse(former, names.own(former))
      change.copy(
        window = now.title,
        function = change.function.map(f => functions.getOrElse(f, name(f))),
        reason = change.reason.map("`([^`]*)`".r.replaceAllIn(
          _,
          column => Regex.quoteReplacement(s"`${name(column.group(1))}`")
        ))
      )
    }

  /** The operators with the former names and with their own names, by their numbers. */
  private lazy val pairs: Map[Long, (StreamWindowsExec, StreamWindowsExec)] =
    changed.operators.zip(current.operators).collect {
      case (former: StreamWindowsExec, now: StreamWindowsExec) => now.number -> (former -> now)
    }.toMap

  private def check(): Unit = {
    checkNames()
    required.requireOperatorsOfSpark(from, changed.operatorsOfSpark)
    from.windows.foreach(CheckpointFolder.checkLayout(_, checkpoint))
    required.requireSources(from, changed.sources)
  }

  /** Fails if the query does not have a renamed column. */
  private def checkNames(): Unit = request.renamed.foreach { case (former, now) =>
    val columns = query.collect { case plan => plan.output.map(_.name) }.flatten.distinct
    if (!columns.contains(now)) {
      throw error(
        "MUNTIN_UNKNOWN_RENAMED_COLUMN",
        "former" -> former,
        "name" -> now,
        "columns" -> columns.map(c => s"`$c`").mkString(", ")
      )
    }
  }

  /**
   * Copies the checkpoint to the folder of the request, with the state of the changed query. Fails
   * if windows restart or are dropped, unless the request allows it. If the copy fails, deletes the
   * folder.
   */
  def copy(): Unit = {
    val to = request.to.get
    val copy = new CheckpointCopy(from, to)
    required.requireFree(to, copy.isFree)
    checkAllowed()
    copy.orDelete {
      copy.copyOffsets()
      // Before the changed query's descriptions: Spark compares them with its stored schemas.
      copy.copyStates(from.operatorsOfSpark, moved = None)
      current.writeMetadata(to)
      changes.foreach(_.write(from, copy))
      copy.finish()
    }
  }

  /** Fails if `copy` would not copy the checkpoint. */
  def checkAllowed(): Unit = {
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

package org.apache.spark.sql.muntin.spark

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  EventTimeWatermark,
  LeafNode,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.SparkPlan

/** A query that is planned as the next micro-batch of a checkpoint of another query. */
final class ChangedQuery(query: LogicalPlan, from: StoredCheckpoint, isUpdate: Boolean) {
  private val session: SparkSession = from.session
  private val times = EndedStream.timesAfter(from.last)

  private lazy val stateful = EndedStream.writers(plan(withRows))

  /** Returns Muntin's operators with state, in the order of their numbers. */
  lazy val operators: Seq[StatefulExec] = stateful.collect { case ours: StatefulExec => ours }

  /** Returns the numbers and names of the stateful Spark operators in the query. */
  def operatorsOfSpark: Seq[(Long, String)] =
    stateful.filterNot(_.isInstanceOf[StatefulExec])
      .map(other => other.getStateInfo.operatorId -> other.shortName)

  /** Returns the number of sources. */
  def sources: Int = query.collect { case leaf: LeafNode if leaf.isStreaming => leaf }.size

  /**
   * Returns the operator of window functions, given as SQL, over a stream with these columns; None
   * if they cannot be planned.
   */
  def planned(columns: Seq[Attribute], functions: Seq[String]): Option[StatefulExec] =
    onlyOperator(Project(columns ++ results(functions), marked(columns)))

  /**
   * Returns the operator of functions, given as SQL, over the windows of groups, over a stream with
   * these columns; None if they cannot be planned.
   */
  def plannedGroups(
      columns: Seq[Attribute],
      keys: Seq[String],
      window: Expression,
      functions: Seq[String]
  ): Option[StatefulExec] = {
    val ofKeys = keys.flatMap(key => columns.find(_.name == key))
    if (ofKeys.size < keys.size) None
    else {
      onlyOperator(Aggregate(
        ofKeys :+ window,
        ofKeys ++ results(functions),
        marked(columns)
      ))
    }
  }

  /** Returns the columns of the rows from which the query computes this column. */
  def columnsBelow(column: Attribute): Seq[Attribute] = {
    def isIn(plan: LogicalPlan) = plan.output.exists(_.exprId == column.exprId)
    query.collect { case plan if isIn(plan) && !plan.children.exists(isIn) => plan.children }
      .flatten.flatMap(_.collect { case below => below.output }.flatten).distinctBy(_.exprId)
  }

  private def parsed(text: String): Expression =
    session.sessionState.sqlParser.parseExpression(text)

  private def results(functions: Seq[String]): Seq[Alias] =
    functions.zipWithIndex.map { case (text, i) => Alias(parsed(text), s"muntin_result_$i")() }

  private def onlyOperator(unresolved: => LogicalPlan): Option[StatefulExec] =
    try {
      val logical = Dataset.ofRows(session, unresolved).queryExecution.analyzed
      EndedStream.writers(plan(logical)) match {
        case Seq(ours: StatefulExec) => Some(ours)
        case _ => None
      }
    } catch { case NonFatal(_) => None }

  /**
   * Returns the expression that computes the column, if the column is named by it, as are the
   * arguments of window functions (NamedInputs).
   */
  def definition(column: Attribute): Option[Expression] = query.collect {
    case Project(list, below) => list.collect {
        case a: Alias
            if a.exprId == column.exprId && a.child.deterministic &&
              toPrettySQL(a.child) == a.name &&
              a.child.references.forall(r => below.output.count(_.name == r.name) == 1) => a.child
      }
  }.flatten.headOption

  /** Writes the files that describe the operators' state into a new checkpoint. */
  def writeMetadata(checkpoint: String): Unit = session.withActive {
    LastExecution.first(
      session,
      withRows,
      new Path(checkpoint, "state").toString,
      from.last.times,
      times,
      isUpdate
    ).executedPlan: Unit
  }

  private def plan(logical: LogicalPlan): SparkPlan = session.withActive {
    val execution = LastExecution(session, logical, from.last, times, isUpdate)
    execution.executedPlan.foreach {
      case ours: StatefulExec => ours.batch.foreach(_.runsIn(execution))
      case _ =>
    }
    execution.executedPlan
  }

  private def withRows: LogicalPlan = EndedStream.withRows(session, query)

  /** Returns a stream with these columns and with their watermark, if they have one. */
  private def marked(columns: Seq[Attribute]): LogicalPlan = {
    val rows = EndedStream.rowsOf(session, columns)
    val mark = query.collectFirst { case mark: EventTimeWatermark => mark }
    val time = columns.find(_.metadata.contains(EventTimeWatermark.delayKey))
    mark.zip(time).fold[LogicalPlan](rows) { case (mark, time) =>
      mark.copy(eventTime = time, child = rows)
    }
  }
}

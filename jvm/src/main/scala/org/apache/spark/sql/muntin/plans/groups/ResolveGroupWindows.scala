package org.apache.spark.sql.muntin.plans.groups

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.execution.groups.GroupWindowPlan
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupWindow}
import org.apache.spark.sql.muntin.plans.logical.{AssignWindows, GroupWindowColumn, GroupWindows}
import org.apache.spark.sql.muntin.plans.streams.GroupStreamTime

/**
 * Turns the marker of a window in GROUP BY into a column of the grouped rows. Spark can then
 * resolve the rest of the query (`w.start`, HAVING, ORDER BY) as in any query.
 */
object ResolveGroupWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsAllPatterns(AGGREGATE, GroupWindow.Pattern)) {
      case aggregate: Aggregate if aggregate.child.resolved =>
        markers(aggregate) match {
          case one +: other +: _ => throw several(one, other)
          case one +: _ if one.resolved => assigned(aggregate, one)
          case _ => aggregate
        }
    }

  private def markers(aggregate: Aggregate): Seq[Expression] = {
    val windows = aggregate.groupingExpressions.flatMap(_.collect {
      case w: GroupWindow => w
      case w: TimeWindow => w
      case w: SessionWindow => w
    })
    val distinct = windows.foldLeft(Seq.empty[Expression]) { (found, w) =>
      if (found.exists(_.semanticEquals(w))) found else found :+ w
    }
    val ours = distinct.filter(_.isInstanceOf[GroupWindow])
    if (ours.isEmpty) Nil
    else {
      val assigned = aggregate.groupingExpressions.collect {
        case a: Attribute if GroupWindowColumn.isSparks(a) => a
      }
      ours ++ distinct.filterNot(ours.contains) ++ assigned
    }
  }

  private def assigned(aggregate: Aggregate, marker: Expression): Aggregate = {
    val window = marker.asInstanceOf[GroupWindow]
    val name = aggregate.groupingExpressions
      .collectFirst { case a: Alias if a.child.semanticEquals(window) => a.name }
      .getOrElse(window.prettyName)
    val plan = GroupWindowPlan.of(window)
    val attribute = GroupStreamTime.column(name, plan)
    def replaced(expression: Expression): Expression = expression.transformDown {
      case w: GroupWindow if w.semanticEquals(window) => attribute
    }
    val grouping = aggregate.groupingExpressions.map {
      case a: Alias if a.child.semanticEquals(window) => attribute
      case other => replaced(other)
    }
    val outputs = aggregate.aggregateExpressions.map {
      // Without an alias in the query, the output has the name of the window's column.
      case Alias(w: GroupWindow, given) if w.semanticEquals(window) && given == toPrettySQL(w) =>
        attribute
      case other => replaced(other).asInstanceOf[NamedExpression]
    }
    aggregate.copy(
      groupingExpressions = grouping,
      aggregateExpressions = outputs,
      child = AssignWindows(plan, attribute, aggregate.child)
    )
  }

  private def several(one: Expression, other: Expression): AnalysisException =
    new Arguments(one.prettyName).error(
      "MUNTIN_SEVERAL_WINDOWS_IN_GROUP_BY",
      "window" -> one.sql,
      "other" -> other.sql
    )
}

/** Rejects a marker that ResolveGroupWindows has left. */
object CheckGroupWindows extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (plan.containsPattern(GroupWindow.Pattern)) check(plan)

  private def check(plan: LogicalPlan): Unit = {
    val correlated = plan.collect { case CorrelatedWindows(aggregate, _) => aggregate.child }
    plan.foreach(node => if (!correlated.exists(_ eq node)) checkNode(node))
  }

  private def checkNode(plan: LogicalPlan): Unit = plan match {
    case _: GroupWindows =>
    case rows: Project if rows.projectList.endsWith(rows.child.output) =>
      marker(rows).foreach(w => throw besideRows(w))
    case other => marker(other).foreach(w => throw misplaced(w, other))
  }

  private def marker(plan: LogicalPlan): Option[GroupWindow] =
    plan.expressions.flatMap(_.collectFirst { case w: GroupWindow => w }).headOption

  // A function that receives the rows of groups looks like a SELECT of the window and all columns.
  private def besideRows(window: GroupWindow): AnalysisException =
    new Arguments(window.prettyName).error("MUNTIN_WINDOW_OF_ROWS", "window" -> window.sql)

  private def misplaced(window: GroupWindow, node: LogicalPlan): AnalysisException =
    new Arguments(window.prettyName).error("MUNTIN_MISPLACED_WINDOW", "place" -> node.nodeName)
}

package org.apache.spark.sql.muntin.plans.groups

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.optimizer.{InlineCTE, PullupCorrelatedPredicates}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{CTE, OUTER_REFERENCE, PLAN_EXPRESSION}
import org.apache.spark.sql.muntin.execution.groups.GroupWindowPlan
import org.apache.spark.sql.muntin.expressions.TickWindow
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupWindow}
import org.apache.spark.sql.muntin.expressions.internal.TickPane
import org.apache.spark.sql.muntin.plans.logical.{AssignWindows, GroupWindows}
import org.apache.spark.sql.muntin.spark.{GroupBy, WindowOver}
import org.apache.spark.sql.types.{DateType, LongType}

/**
 * Plans windows of a GROUP BY over rows that an outer query selects, in LATERAL, EXISTS, IN or a
 * scalar subquery:
 *
 *     SELECT (SELECT max(n) FROM (SELECT count(*) AS n FROM b WHERE b.k = a.k
 *                                 GROUP BY sessions(b.at, '5 minutes'))) FROM a
 *
 * Spark rewrites such a subquery as a join, but only if all its nodes are built in. So the
 * subquery stays an Aggregate, with the window's marker as a column of a Project, until Spark has
 * added `b.k` to its keys; then it becomes a GroupWindows node.
 */
private[plans] object CorrelatedWindows {
  def is(windows: AssignWindows): Boolean =
    windows.child.exists(_.expressions.exists(_.containsPattern(OUTER_REFERENCE)))

  /** Returns the form that Spark's rules for subqueries can rewrite. */
  def marked(aggregate: Aggregate, windows: AssignWindows): LogicalPlan = {
    val window = windows.window
    if (!window.isInstanceOf[TickWindow] && windows.plan.ofAllGroups.isDefined) {
      throw correlatedError(window)
    }
    val column = Alias(windows.plan, windows.attribute.name)(
      exprId = windows.attribute.exprId,
      explicitMetadata = Some(windows.attribute.metadata)
    )
    aggregate.copy(child = Project(windows.child.output :+ column, windows.child))
  }

  /** Extracts a GROUP BY in this form, and its windows. */
  def unapply(plan: LogicalPlan): Option[(Aggregate, AssignWindows)] = plan match {
    case aggregate @ GroupBy(_, _, Project(columns, child)) =>
      columns.collectFirst { case a @ Alias(plan: GroupWindowPlan, _) =>
        val attribute = a.toAttribute.asInstanceOf[AttributeReference]
        val rows = Project(columns.filterNot(_ eq a), child)
        (aggregate, AssignWindows(plan, attribute, rows))
      }
    case _ => None
  }

  // The newest row determines which windows are emitted, and depends on the row of the outer query.
  private def correlatedError(window: GroupWindow): AnalysisException =
    new Arguments(window.prettyName).error("MUNTIN_CORRELATED_WINDOW", "window" -> window.sql)
}

/** Places the windows of such subqueries, once the query is analyzed. */
object PlaceCorrelatedWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!hasMarked(plan)) plan
    else decorrelated(if (plan.containsPattern(CTE)) InlineCTE()(plan) else plan)

  private def hasMarked(plan: LogicalPlan): Boolean =
    plan.containsAllPatterns(PLAN_EXPRESSION, GroupWindow.Pattern) && plan.exists { node =>
      node.expressions.exists(_.exists {
        case s: SubqueryExpression => isMarked(s.plan) || hasMarked(s.plan)
        case _ => false
      })
    }

  private def isMarked(plan: LogicalPlan): Boolean = plan.exists {
    case CorrelatedWindows(_, _) => true
    case _ => false
  }

  private def decorrelated(plan: LogicalPlan): LogicalPlan = {
    val below = subqueries(plan) { s =>
      if (hasMarked(s.plan) || isMarked(s.plan)) {
        s.withNewPlan(decorrelated(EliminateSubqueryAliases(s.plan)))
      } else s
    }
    subqueries(PullupCorrelatedPredicates(below)) { s =>
      if (isMarked(s.plan)) s.withNewPlan(placed(s.plan, outerColumns(s))) else s
    }
  }

  private def subqueries(
      plan: LogicalPlan
  )(change: SubqueryExpression => SubqueryExpression): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
      case s: SubqueryExpression => change(s)
    }

  /** Returns the columns of the subquery that Spark joins with columns of the outer query. */
  private def outerColumns(subquery: SubqueryExpression): AttributeSet = {
    val domains = subquery.plan.collect { case d: DomainJoin => d.expressions }.flatten
    AttributeSet((subquery.children ++ domains).flatMap(_.references))
  }

  private def placed(plan: LogicalPlan, outerColumns: AttributeSet): LogicalPlan =
    plan.transformUp {
      case CorrelatedWindows(aggregate, windows) =>
        windows.window match {
          case ticks: TickWindow => untilNewest(aggregate, windows, ticks, outerColumns)
          case _ => PlaceGroupWindows.placed(aggregate.copy(child = windows), windows)
        }
    }

  /**
   * Ticks continue to the newest row of all groups. Here these are the groups with the same columns
   * of the outer query.
   */
  private def untilNewest(
      aggregate: Aggregate,
      windows: AssignWindows,
      ticks: TickWindow,
      outerColumns: AttributeSet
  ): LogicalPlan = {
    val keys =
      aggregate.groupingExpressions.collect { case a: Attribute if outerColumns.contains(a) => a }
    val ofNewest = Seq("newest" -> Max(ticks.time).toAggregateExpression())
    val below = WindowOver(ofNewest, keys, windows.child)
    val newest = below.windowExpressions.head.toAttribute
    val rows = windows.copy(child = below)
    val whole = aggregate.copy(
      groupingExpressions = aggregate.groupingExpressions :+ newest,
      child = rows
    )
    PlaceGroupWindows.placed(whole, rows) match {
      case Project(outputs, results) =>
        val window = results.collectFirst { case g: GroupWindows => g.windowAttribute }.get
        Project(outputs, Filter(isReached(ticks, window, newest), results))
      case other => throw new IllegalStateException(s"no columns above ${other.nodeName}")
    }
  }

  private def isReached(ticks: TickWindow, window: Attribute, newest: Attribute): Expression = {
    val time = ticks.time.dataType
    val end = GetStructField(window, 1) match {
      case date if date.dataType == DateType => Cast(date, time)
      case other => other
    }
    if (!ticks.drains) LessThan(end, newest)
    else {
      val last = TickPane(newest, ticks.schedule)
      LessThanOrEqual(end, PreciseTimestampConversion(last, LongType, time))
    }
  }
}

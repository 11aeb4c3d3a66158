package org.apache.spark.sql.muntin.plans.groups

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.logical.{
  AggregateCollector,
  AssignWindows,
  GroupWindows,
  InlinedCtes,
  WithColumns
}
import org.apache.spark.sql.muntin.plans.streams.{GroupStreamCheck, GroupStreamTime}
import org.apache.spark.sql.muntin.spark.GroupBy

/**
 * When the query is resolved, replaces an Aggregate over assigned windows by a GroupWindows node,
 * with a Project that computes the query's outputs from its results. Runs before the optimizer,
 * whose rules for aggregates do not support windows.
 */
object PlaceGroupWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    inlined(plan).resolveOperatorsUpWithPruning(
      _.containsAllPatterns(AGGREGATE, GroupWindow.Pattern)
    ) {
      case aggregate @ GroupBy(_, _, windows: AssignWindows) if aggregate.resolved =>
        GroupBy.check(aggregate)
        if (CorrelatedWindows.is(windows)) CorrelatedWindows.marked(aggregate, windows)
        else placed(aggregate, windows)
      case aggregate: Aggregate if aggregate.resolved =>
        WindowSets.of(aggregate).fold[LogicalPlan](aggregate) { parts =>
          GroupBy.check(aggregate)
          val windows = placed(parts.withWindow, parts.assigned)
          parts.without.fold(windows)(others => Union(Seq(windows, renamed(others))))
        }
    }

  // The time of a stream's windows may come from a CTE.
  private def inlined(plan: LogicalPlan): LogicalPlan =
    if (plan.isStreaming && plan.containsAllPatterns(AGGREGATE, GroupWindow.Pattern)) {
      InlinedCtes(plan)
    } else plan

  // The sides of a union have separate columns.
  private def renamed(plan: LogicalPlan): LogicalPlan =
    Project(plan.output.map(a => Alias(a, a.name)()), plan)

  private[plans] def placed(aggregate: Aggregate, windows: AssignWindows): LogicalPlan = {
    val grouping =
      aggregate.groupingExpressions.filterNot(_.semanticEquals(windows.attribute)).distinct
    // As in Spark's own GROUP BY, -0.0 and 0.0 are one key, and all NaNs are one key.
    val normalized = grouping.map(g => toName(g) -> NormalizeFloatingNumbers.normalize(g))
    val keyed = WithColumns(windows.child, normalized)
    // A new attribute, so that a join of the query with itself can rename its outputs.
    val window = windows.attribute.newInstance()
    val collector = new AggregateCollector(windows.window.prettyName)
    def result(expression: Expression): Expression = expression match {
      case a: AggregateExpression => collector(a)
      case a if a.semanticEquals(windows.attribute) => window
      case e =>
        grouping.indexWhere(_.semanticEquals(e)) match {
          case -1 => e.mapChildren(result)
          case i => keyed.attributes(i)
        }
    }
    // A strict list: all aggregates are collected before they are used. Scala 2.12 may have a lazy
    // Stream here.
    val outputs = aggregate.aggregateExpressions.toList.map {
      case a: Attribute =>
        result(a) match {
          case same: Attribute if same.exprId == a.exprId => same
          case other => Alias(other, a.name)(exprId = a.exprId, qualifier = a.qualifier)
        }
      case other => result(other).asInstanceOf[NamedExpression]
    }
    val (plan, rows) = GroupStreamTime.named(windows.plan, keyed.plan)
    val placed = GroupWindows(
      keyed.attributes,
      plan,
      window,
      collector.functions,
      collector.results,
      None,
      rows
    )
    if (placed.isStreaming) GroupStreamCheck(placed)
    Project(outputs, collector.inPython(placed))
  }

  private def toName(expression: Expression): String = expression match {
    case named: NamedExpression => named.name
    case other => other.sql
  }
}

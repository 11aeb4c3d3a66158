package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.muntin.expressions.GroupWindow
import org.apache.spark.sql.muntin.spark.GroupBy

/**
 * When everything is resolved: an Aggregate over assigned windows becomes a GroupWindows node, and
 * a Project for what the query computes from its results. Before the optimizer, whose rules for
 * aggregates know nothing of windows.
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

  // What windows of a stream go by may come from a query of WITH.
  private def inlined(plan: LogicalPlan): LogicalPlan =
    if (plan.isStreaming && plan.containsAllPatterns(AGGREGATE, GroupWindow.Pattern)) {
      InlinedQueries(plan)
    } else plan

  // Two tables of a union have columns of their own.
  private def renamed(plan: LogicalPlan): LogicalPlan =
    Project(plan.output.map(a => Alias(a, a.name)()), plan)

  private[plans] def placed(aggregate: Aggregate, windows: AssignWindows): LogicalPlan = {
    val grouping =
      aggregate.groupingExpressions.filterNot(_.semanticEquals(windows.attribute)).distinct
    // -0.0 and 0.0 are one key, and so is every NaN, as in Spark's own GROUP BY.
    val normalized = grouping.map(g => toName(g) -> NormalizeFloatingNumbers.normalize(g))
    val keyed = WithColumns(windows.child, normalized)
    // Other than the query's own, so that a join of the query with itself can rename its outputs.
    val window = windows.attribute.newInstance()
    val asked = new AskedAggregates(windows.window.prettyName)
    def result(expression: Expression): Expression = expression match {
      case a: AggregateExpression => asked(a)
      case a if a.semanticEquals(windows.attribute) => window
      case e =>
        grouping.indexWhere(_.semanticEquals(e)) match {
          case -1 => e.mapChildren(result)
          case i => keyed.attributes(i)
        }
    }
    // A list: what is asked for is then known. Scala 2.12 may have a Stream here, which is lazy.
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
      asked.functions,
      asked.results,
      None,
      rows
    )
    if (placed.isStreaming) GroupStreamCheck(placed)
    Project(outputs, asked.inPython(placed))
  }

  private def toName(expression: Expression): String = expression match {
    case named: NamedExpression => named.name
    case other => other.sql
  }
}

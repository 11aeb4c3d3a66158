package org.apache.spark.sql.muntin.plans

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.muntin.expressions.{GroupAggregate, GroupWindow}
import org.apache.spark.sql.muntin.spark.GroupBy

/**
 * When everything is resolved: an Aggregate over assigned windows becomes a GroupWindows node, and
 * a Project for what the query computes from its results. Before the optimizer, whose rules for
 * aggregates know nothing of windows.
 */
object PlaceGroupWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsAllPatterns(AGGREGATE, GroupWindow.Pattern)) {
      case aggregate @ GroupBy(_, _, windows: AssignWindows) if aggregate.resolved =>
        ExprUtils.assertValidAggregation(aggregate)
        placed(aggregate, windows)
    }

  private def placed(aggregate: Aggregate, windows: AssignWindows): LogicalPlan = {
    val grouping =
      aggregate.groupingExpressions.filterNot(_.semanticEquals(windows.attribute)).distinct
    // -0.0 and 0.0 are one key, and so is every NaN, as in Spark's own GROUP BY.
    val computed = grouping.map(g => g -> NormalizeFloatingNumbers.normalize(g)).collect {
      case (g, normal) if !normal.isInstanceOf[Attribute] => g -> Alias(normal, toName(g))()
    }
    val child =
      if (computed.isEmpty) windows.child
      else Project(windows.child.output ++ computed.map(_._2), windows.child)
    val keys = grouping.map { g =>
      computed.collectFirst { case (`g`, alias) => alias.toAttribute }.getOrElse(g) match {
        case a: Attribute => a
        case other => throw new IllegalStateException(s"not computed: $other")
      }
    }
    // Other than the query's own, so that a join of the query with itself can rename its outputs.
    val window = windows.attribute.newInstance()
    val functions = mutable.LinkedHashMap.empty[Expression, (GroupAggregate, Attribute)]
    def result(expression: Expression): Expression = expression match {
      case a: AggregateExpression =>
        functions.getOrElseUpdate(a.canonicalized, function(windows, a))._2
      case a if a.semanticEquals(windows.attribute) => window
      case e =>
        grouping.indexWhere(_.semanticEquals(e)) match {
          case -1 => e.mapChildren(result)
          case i => keys(i)
        }
    }
    val outputs = aggregate.aggregateExpressions.map {
      case a: Attribute =>
        result(a) match {
          case same: Attribute if same.exprId == a.exprId => same
          case other => Alias(other, a.name)(exprId = a.exprId, qualifier = a.qualifier)
        }
      case other => result(other).asInstanceOf[NamedExpression]
    }
    val (aggregates, results) = functions.values.toSeq.unzip
    val placed = GroupWindows(keys, windows.window, window, aggregates, results, None, child)
    if (child.isStreaming) GroupStreamCheck(placed)
    Project(outputs, placed)
  }

  private def function(
      windows: AssignWindows,
      aggregate: AggregateExpression
  ): (GroupAggregate, Attribute) = {
    val grouped = GroupAggregate.placed(windows.window.prettyName, aggregate)
    (grouped, grouped.result)
  }

  private def toName(expression: Expression): String = expression match {
    case named: NamedExpression => named.name
    case other => other.sql
  }
}

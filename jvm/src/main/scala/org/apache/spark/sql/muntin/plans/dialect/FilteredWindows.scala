package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.Framed
import org.apache.spark.sql.muntin.expressions.common.{AroundAggregate, UnresolvedAround}
import org.apache.spark.sql.muntin.spark.{FilterInOver, FunctionCall, OverCall}

/**
 * If Spark rejects FILTER in OVER, rewrites `sum(x) FILTER (WHERE c) OVER w` to the equivalent
 * `framed(sum(x) FILTER (WHERE c)) OVER w`.
 */
object FilteredWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (FilterInOver.isSparks) plan
    else {
      plan.resolveOperatorsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) { case node =>
        node.mapExpressions(inFramed)
      }
    }

  // A FILTER inside a function around an aggregate belongs to that function.
  private def inFramed(expression: Expression): Expression = expression match {
    case around: UnresolvedAround => around
    case window @ OverCall(call, spec) if hasFilter(call) =>
      val framed = OverCall(FunctionCall(Seq(Framed.qualifiedName), Seq(call)), spec)
      framed.copyTagsFrom(window)
      framed
    case other => other.mapChildren(inFramed)
  }

  private def hasFilter(function: Expression): Boolean = function match {
    case ResolveNames(_: AroundAggregate) => false
    case call: UnresolvedFunction => call.filter.isDefined
    // From OrderedArguments.
    case call: AggregateExpression => call.filter.isDefined
    case _ => false
  }
}

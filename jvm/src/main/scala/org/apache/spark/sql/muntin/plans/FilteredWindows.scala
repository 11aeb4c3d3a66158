package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.{AroundAggregate, Framed, UnresolvedAround}
import org.apache.spark.sql.muntin.spark.{FilterInOver, FunctionCall, OverCall}

/**
 * Where Spark refuses FILTER in OVER: `sum(x) FILTER (WHERE c) OVER w` becomes `framed(sum(x)
 * FILTER (WHERE c)) OVER w`, which says the same.
 */
object FilteredWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (FilterInOver.isSparks) plan
    else {
      plan.resolveOperatorsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) { case node =>
        node.mapExpressions(inFramed)
      }
    }

  // What is in a function around an aggregate already is the function's.
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

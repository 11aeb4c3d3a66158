package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}
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
    case window @ OverCall(call: UnresolvedFunction, spec)
        if call.filter.isDefined && !isAround(call) =>
      framed(call, spec, window)
    // Of OrderedArguments.
    case window @ OverCall(call: AggregateExpression, spec) if call.filter.isDefined =>
      framed(call, spec, window)
    case other => other.mapChildren(inFramed)
  }

  private def framed(
      call: Expression,
      spec: WindowSpecDefinition,
      window: Expression
  ): Expression = {
    val framed = OverCall(FunctionCall(Seq(Framed.qualifiedName), Seq(call)), spec)
    framed.copyTagsFrom(window)
    framed
  }

  private def isAround(call: UnresolvedFunction): Boolean = call match {
    case ResolveNames(_: AroundAggregate) => true
    case _ => false
  }
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.withPosition
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.common.{AroundAggregate, UnresolvedAround}
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Before analysis, rewrites `f(agg, …) OVER w` to f around `agg OVER w`, if f is a function around
 * an aggregate. Otherwise, while the arguments of f are unresolved, the analyzer would see an
 * aggregate without an OVER clause and make the query a GROUP BY.
 */
object AroundAggregates extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
      case window @ OverCall(call @ ResolveNames(function: AroundAggregate), spec) =>
        withPosition(call) {
          val checked = function.specification(call, spec)
          val (inner, others) = function.around(function.inOrder(call.arguments), checked)
          val inside = OverCall(inner, checked)
          inside.copyTagsFrom(window)
          UnresolvedAround(function, inside, others)
        }
    }
}

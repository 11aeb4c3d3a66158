package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.analysis.withPosition
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.{AroundAggregate, UnresolvedAround}
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Before anything is resolved: `f(agg, …) OVER w`, where f is a function around an aggregate,
 * becomes f around `agg OVER w`. Inside a function that waits for its arguments to be resolved, the
 * aggregate would look to the analyzer like an aggregate without an OVER clause, and make the query
 * a GROUP BY.
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

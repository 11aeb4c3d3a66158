package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.analysis.{withPosition, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
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
      case window @ OverCall(CallAroundAggregate(_, _), _) => around(window)
    }

  private def around(expression: Expression): Expression = expression match {
    case window @ OverCall(CallAroundAggregate(function, call), spec) =>
      withPosition(call) {
        val checked = function.specification(call, spec)
        val (inner, others) = function.around(function.inOrder(call.arguments), checked)
        val inside = OverCall(inner, checked)
        inside.copyTagsFrom(window)
        UnresolvedAround(function, around(inside), others)
      }
    case other => other
  }

  /** A call of a function around an aggregate. */
  private object CallAroundAggregate {
    def unapply(expression: Expression): Option[(AroundAggregate, UnresolvedFunction)] =
      expression match {
        case call @ ResolveNames(function: AroundAggregate) => Some((function, call))
        case _ => None
      }
  }
}

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.{Alias, Cast}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Before analysis, moves the cast and the name of `CAST(agg AS type) AS name OVER w`, which
 * `aggregations` and a DataFrame can produce, around `agg OVER w`.
 */
object OverNamedCasts extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
      case OverCall(outer @ (_: Alias | _: Cast), spec) =>
        outer.withNewChildren(Seq(OverCall(outer.children.head, spec)))
    }
}

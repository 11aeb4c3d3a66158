package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * A SELECT with a mistake never becomes a Window, so Spark's checks would reject its DISTINCT or
 * median in OVER before they find the mistake. This rule gives these aggregates the form that
 * passes the checks, so that Spark reports the mistake.
 */
object UncoverMistakes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.resolved || !conf.getConf(MuntinConf.OverEnabled)) plan
    else {
      plan.resolveOperatorsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
        case node if !node.resolved =>
          node.transformExpressionsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
            case w @ OverCall(aggregate: AggregateExpression, spec) if w.resolved =>
              w.copy(windowFunction = ResolveOverAggregates.accepted(aggregate, spec))
          }
      }
    }
}

package org.apache.spark.sql.muntin.plans.checks

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, WINDOW}
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument

/**
 * Rejects `df.groupBy("k").agg(mt.rolling(…))`, as a pandas user writes it: `rolling` is a window
 * function. Spark reports instead that the columns inside are not aggregated. A window over the
 * results of the groups, `mt.rolling(F.sum(F.sum("x")), …)`, is valid.
 */
object RefuseRollingAggregates extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsAllPatterns(AGGREGATE, WINDOW)) plan.foreach {
      case window: Window =>
        for {
          groups <- Option(window.child).collect { case a: Aggregate if hasUngrouped(a) => a }
          rolling <- window.windowExpressions.find(_.name.startsWith("rolling("))
        } throw InvalidArgument(
          "rolling",
          "agg",
          s"`${rolling.name}` is a window function, not an aggregate of GROUP BY " +
            s"${groups.groupingExpressions.map(_.sql).mkString(", ")}. Give the groups as the " +
            """partitions: df.select("*", mt.rolling(…, partition_by=…))"""
        )
      case _ =>
    }
    plan
  }

  private def hasUngrouped(groups: Aggregate): Boolean = groups.aggregateExpressions.exists {
    case column: Attribute => !groups.groupingExpressions.exists(_.semanticEquals(column))
    case _ => false
  }
}

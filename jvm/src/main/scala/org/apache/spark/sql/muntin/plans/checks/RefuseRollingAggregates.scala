package org.apache.spark.sql.muntin.plans.checks

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, WINDOW}
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException

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
        } throw new MuntinAnalysisException(
          "MUNTIN_ROLLING_IN_GROUP_BY",
          "rolling" -> rolling.name,
          "groups" -> groups.groupingExpressions.map(_.sql).mkString(", ")
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

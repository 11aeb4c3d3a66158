package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** A rule between the analyzer and the optimizer, whose new nodes the analyzer then resolves. */
object PreOptimizerRule {
  def inject(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectPlanNormalizationRule(session => new ResolvingRule(session, rule))

  private final class ResolvingRule(session: SparkSession, rule: Rule[LogicalPlan])
      extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      val placed = rule(plan)
      if (placed.fastEquals(plan)) plan else LocalSession.analyzed(session, placed)
    }
  }
}

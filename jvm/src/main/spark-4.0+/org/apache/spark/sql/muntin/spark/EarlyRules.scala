package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules for a query before anything in it is resolved. */
object EarlyRules {
  type OfSession = SparkSession => Rule[LogicalPlan]

  /** Adds the rules, in their order. */
  def inject(extensions: SparkSessionExtensions, rules: Seq[OfSession]): Unit =
    rules.foreach(rule => extensions.injectHintResolutionRule(rule(_)))
}

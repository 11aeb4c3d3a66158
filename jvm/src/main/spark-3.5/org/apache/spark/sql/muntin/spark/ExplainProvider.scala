package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.SparkPlan

/** Text after the plan in EXPLAIN and the UI: Spark requests it since 4.0. */
trait ExplainProvider {
  def title: String
  def generateExtendedInfo(plan: SparkPlan): String
}

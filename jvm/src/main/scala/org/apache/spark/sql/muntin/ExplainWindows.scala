package org.apache.spark.sql.muntin

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.plans.over.SparkFallbacks
import org.apache.spark.sql.muntin.spark.ExplainProvider

/**
 * Adds to EXPLAIN and to the UI why Spark's own operator runs window functions of a query, if
 * `spark.sql.extendedExplainProviders` names this class. Spark has the setting since 4.0.
 */
final class ExplainWindows extends ExplainProvider {
  override def title: String = "Muntin"

  override def generateExtendedInfo(plan: SparkPlan): String =
    SparkFallbacks.reasons(plan) match {
      case Seq() => "No window is left to Spark.\n"
      case reasons => reasons.map(reason => s"Spark runs $reason.\n").mkString
    }
}

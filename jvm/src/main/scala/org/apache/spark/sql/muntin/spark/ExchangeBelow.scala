package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/** Finds the operator below the nodes that adaptive execution and a reused exchange add. */
object ExchangeBelow {

  /** Returns the operator whose rows `plan` returns, unchanged and by partitions. */
  def apply(plan: SparkPlan): SparkPlan = plan match {
    case AQEShuffleReadExec(child, _) => apply(child)
    case stage: ShuffleQueryStageExec => apply(stage.plan)
    case ReusedExchangeExec(_, exchange) => exchange
    case other => other
  }
}

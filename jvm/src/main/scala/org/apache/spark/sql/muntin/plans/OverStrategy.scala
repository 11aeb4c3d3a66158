package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{SparkSession, Strategy}
import org.apache.spark.sql.execution.SparkPlan

/** Plans the Window nodes that Muntin takes over. */
case class OverStrategy(session: SparkSession) extends Strategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = Nil
}

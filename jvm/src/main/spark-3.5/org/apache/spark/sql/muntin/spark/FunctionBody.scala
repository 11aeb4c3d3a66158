package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** CREATE FUNCTION … RETURN …: functions with a SQL body exist since Spark 4.0. */
object FunctionBody {
  def unapply(plan: LogicalPlan): Option[(Option[String], Option[String])] = {
    require(plan != null)
    None
  }
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The rows of Spark's data source `statestore`, which came with Spark 4.0. */
object StateSource {
  def unapply(relation: LogicalPlan): Option[(String, String)] = {
    require(relation != null)
    None
  }
}

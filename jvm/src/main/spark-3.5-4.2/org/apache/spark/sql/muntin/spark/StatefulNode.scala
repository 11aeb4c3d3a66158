package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A node that may be planned as an operator with state. Before 4.3, Spark does not check it. */
trait StatefulNode extends LogicalPlan {
  protected def hasState: Boolean
}

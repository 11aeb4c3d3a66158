package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A node that may be planned as an operator with state. In real-time mode Spark tracks the progress
 * of queries without such nodes asynchronously, which it does not support for state.
 */
trait StatefulNode extends LogicalPlan {
  protected def hasState: Boolean

  override def isStateful: Boolean = hasState
}

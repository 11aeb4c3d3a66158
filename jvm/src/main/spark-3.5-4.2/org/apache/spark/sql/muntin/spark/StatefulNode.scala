package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A node that may be planned as an operator with state, which Spark does not ask before 4.3. */
trait StatefulNode extends LogicalPlan {
  protected def hasState: Boolean
}

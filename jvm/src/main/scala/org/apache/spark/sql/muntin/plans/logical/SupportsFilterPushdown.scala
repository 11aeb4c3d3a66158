package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A node of windows, or of rows matched by time, below which a filter can be pushed. */
trait SupportsFilterPushdown extends LogicalPlan {

  /** Returns the columns by which a filter removes whole windows. */
  def filtered: AttributeSet

  /** Returns the node restricted to windows that satisfy a condition on `filtered`. */
  def where(condition: Expression): LogicalPlan
}

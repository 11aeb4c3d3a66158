package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A node of windows, or of rows found by time, of which a filter spares some. */
trait TakesFilters extends LogicalPlan {

  /** The columns by which a filter spares whole windows. */
  def filtered: AttributeSet

  /** The windows of the rows for which a condition on `filtered` is true. */
  def where(condition: Expression): LogicalPlan
}

package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.spark.ColumnsToRows

/**
 * An operator below an exchange that passes on column batches, in place of an operator over rows.
 */
trait AcceptsColumnarInput extends SparkPlan {

  /** Returns the operator that it replaces. */
  def overRows: SparkPlan
}

object AcceptsColumnarInput {

  /** Returns the plan as it would be below Spark's exchange. */
  def rows(plan: SparkPlan): SparkPlan = plan match {
    case taking: AcceptsColumnarInput if taking.supportsColumnar => taking.overRows
    case other => ColumnsToRows(other)
  }
}

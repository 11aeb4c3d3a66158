package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.spark.ColumnsToRows

/** An operator below an exchange that passes on column batches, in the place of one of rows. */
trait TakesColumns extends SparkPlan {

  /** The operator in whose place it is. */
  def overRows: SparkPlan
}

object TakesColumns {

  /** The plan as it would be below Spark's exchange. */
  def rows(plan: SparkPlan): SparkPlan = plan match {
    case taking: TakesColumns if taking.supportsColumnar => taking.overRows
    case other => ColumnsToRows(other)
  }
}

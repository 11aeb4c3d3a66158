package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}

/** What makes rows of the column batches of an operator. */
object ColumnsToRows {

  /** An operator of columns as one of rows, as Spark makes it. */
  def apply(columns: SparkPlan): SparkPlan =
    if (columns.supportsRowBased) columns else ColumnarToRowExec(columns)

  def unapply(plan: SparkPlan): Option[SparkPlan] = plan match {
    case ColumnarToRowExec(columns) => Some(columns)
    case _ => None
  }
}

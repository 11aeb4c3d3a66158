package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}

/** Converts an operator's column batches to rows. */
object ColumnsToRows {

  /** Returns Spark's operator that converts columns to rows. */
  def apply(columns: SparkPlan): SparkPlan =
    if (columns.supportsRowBased) columns else ColumnarToRowExec(columns)

  def unapply(plan: SparkPlan): Option[SparkPlan] = plan match {
    case ColumnarToRowExec(columns) => Some(columns)
    case _ => None
  }
}

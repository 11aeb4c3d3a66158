package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.{DataFrame => AnyFrame, SparkSession => AnySession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.Dataset

/** Plans as DataFrames of a session in this JVM, and the other way. */
object BatchQuery {
  def apply(session: AnySession, plan: LogicalPlan): AnyFrame =
    Dataset.ofRows(LocalSession.local(session), plan)

  def plan(rows: AnyFrame): LogicalPlan = rows match {
    case local: Dataset[_] => local.queryExecution.analyzed
    case other => throw new IllegalStateException(s"no local DataFrame: ${other.getClass}")
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.spark.{MuntinAnalysisException, StateSource}
import org.apache.spark.sql.muntin.streaming.StreamWindowsExec

/**
 * Rejects reading the state of windows over a stream with Spark's state data source, which would
 * report their state format as corrupt.
 */
object CheckStateSource extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case StateSource(checkpoint, StreamWindowsExec.ShortName) =>
      throw new MuntinAnalysisException(
        "MUNTIN_STATE_SOURCE_OF_WINDOWS",
        "checkpoint" -> checkpoint
      )
    case _ =>
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.spark.StateSource
import org.apache.spark.sql.muntin.streaming.StreamWindowsExec

/**
 * Rejects reading the state of windows over a stream with Spark's state data source, which would
 * report their state format as corrupt.
 */
object CheckStateSource extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case StateSource(checkpoint, StreamWindowsExec.ShortName) =>
      throw InvalidArgument(
        "statestore",
        "path",
        s"$checkpoint, where the state is that of Muntin's windows, which has no columns of " +
          s"keys and values. What waits there: mt.pending(df, '$checkpoint'), in Scala " +
          s"""Muntin.pending(df, "$checkpoint"), in SQL pending(TABLE(view), '$checkpoint'), """ +
          "of the query's streaming DataFrame"
      )
    case _ =>
  }
}

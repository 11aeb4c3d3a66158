package org.apache.spark.sql.muntin.plans

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.muntin.streaming.StreamProvider

/**
 * Windows over streams need a state store that is not Spark's default. If the session names no
 * state store, StreamProvider names it to each query with such windows; if the session names
 * another, it stays, and the query fails with an error that says what to write.
 */
final case class StreamStateStore(session: SparkSession) extends (LogicalPlan => Unit)
    with Logging {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case started: WriteToStream if StreamStateStore.hasWindows(started) =>
      StreamProvider.listenTo(
        session,
        StreamStateStore.hasWindows,
        StreamTriggers.drainedWindow(_).isDefined
      )
    case _ =>
  }
}

object StreamStateStore {
  def hasWindows(plan: LogicalPlan): Boolean = plan.exists(isWindows)

  /** Whether the plan is a streaming query with windows over its streams. */
  def hasStreamWindows(plan: LogicalPlan): Boolean =
    plan.exists(node => isWindows(node) && node.isStreaming)

  /** Whether the node is windows; of a stream, if its rows are. */
  def isWindows(node: LogicalPlan): Boolean = node match {
    case _: StreamWindows | _: GroupWindows => true
    case windows: AnchoredWindows => windows.onStream.isDefined
    case _ => false
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  GroupWindows,
  SelfAnchoredWindows,
  StreamWindows
}
import org.apache.spark.sql.muntin.streaming.StreamProvider

/**
 * Sets the state store of windows over streams, which is not Spark's default. If the session sets
 * no state store, this rule sets StreamProvider for each query with such windows. If the session
 * sets another one, the query fails with an error that shows the correct setting.
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

  /** Returns true if the plan is a streaming query with windows over its streams. */
  def hasStreamWindows(plan: LogicalPlan): Boolean =
    plan.exists(node => isWindows(node) && node.isStreaming)

  /**
   * Returns true if the node is windows; if its rows are a stream's rows, it is windows of a
   * stream.
   */
  def isWindows(node: LogicalPlan): Boolean = node match {
    case _: StreamWindows | _: GroupWindows | _: SelfAnchoredWindows => true
    case windows: AnchoredWindows => windows.onStream.isDefined
    case _ => false
  }
}

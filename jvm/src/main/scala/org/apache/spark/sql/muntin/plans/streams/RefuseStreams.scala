package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.logical.{
  CheckpointNode,
  UnresolvedBootstrap,
  UnresolvedChange,
  UnresolvedPending
}
import org.apache.spark.sql.muntin.spark.Streams

/** Rejects windows over streams if Spark lacks a feature that they need. */
object RefuseStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    Streams.refusal.foreach(error => if (plan.exists(needsState)) throw error)
    plan
  }

  private def needsState(node: LogicalPlan): Boolean = node match {
    case _: UnresolvedPending | _: UnresolvedBootstrap | _: UnresolvedChange => true
    case _: CheckpointNode => true
    case window: Window => window.child.isStreaming
    case other =>
      other.isStreaming && other.expressions.exists(_.exists {
        case _: GroupWindow | _: WindowBy => true
        case _ => false
      })
  }
}

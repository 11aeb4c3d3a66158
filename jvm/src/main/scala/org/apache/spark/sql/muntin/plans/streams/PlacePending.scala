package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.plans.logical.{PendingWindows, UnresolvedPending}
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinAnalysisException}
import org.apache.spark.sql.muntin.streaming.CheckpointFolder

/** Replaces a query that `pending` reads by a table, when the query has its windows. */
final case class PlacePending(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case pending @ UnresolvedPending(checkpoint, batch, query) if query.resolved =>
      LocalSession.check(session, query)
      if (!query.isStreaming) throw new MuntinAnalysisException("MUNTIN_PENDING_OF_BATCH")
      if (!StreamStateStore.hasStreamWindows(query)) {
        throw new MuntinAnalysisException("MUNTIN_PENDING_WITHOUT_WINDOWS")
      }
      CheckpointFolder.check(session, checkpoint)
      PendingWindows(query, checkpoint, batch, pending.output)
  }
}

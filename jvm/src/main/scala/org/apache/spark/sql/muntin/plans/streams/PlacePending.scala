package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.Pending
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.plans.logical.{PendingOf, PendingWindows}
import org.apache.spark.sql.muntin.spark.{CommittedBatch, LocalSession}

/** Replaces a query that `pending` reads by a table, when the query has its windows. */
final case class PlacePending(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case pending @ PendingOf(checkpoint, query) if query.resolved =>
      LocalSession.check(session, query)
      if (!query.isStreaming) {
        throw invalid(
          "query",
          "no stream; expected is the streaming DataFrame that is written to the checkpoint"
        )
      }
      if (!StreamStateStore.hasStreamWindows(query)) {
        throw invalid(
          "query",
          "a stream without windows that wait: its rows come out in the micro-batch that brings " +
            "them, or are Spark's own state, which spark.read.format(\"statestore\") reads"
        )
      }
      checkFolder(checkpoint)
      PendingWindows(query, checkpoint, pending.output)
  }

  private def checkFolder(checkpoint: String): Unit =
    CommittedBatch.isCheckpoint(session, checkpoint) match {
      case Some(true) =>
      case Some(false) =>
        throw invalid(
          "checkpoint",
          s"$checkpoint, in which no streaming query has begun; expected is the " +
            "checkpointLocation of the query"
        )
      case None =>
        throw invalid(
          "checkpoint",
          s"$checkpoint, where there is no folder; expected is the checkpointLocation of the query"
        )
    }

  private def invalid(parameter: String, value: String): AnalysisException =
    InvalidArgument(Pending.name, parameter, value)
}

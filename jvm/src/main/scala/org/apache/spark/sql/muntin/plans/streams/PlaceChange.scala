package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.plans.logical.{ChangeStream, UnresolvedChange}
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinAnalysisException}

/** Replaces `compare` and `change` by a node that runs them, when their query is resolved. */
final case class PlaceChange(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedChange(query, request, output) if query.resolved =>
      LocalSession.check(session, query)
      if (!query.isStreaming || !StreamStateStore.hasStreamWindows(query)) {
        throw new MuntinAnalysisException("MUNTIN_CHANGE_WITHOUT_WINDOWS")
      }
      ChangeStream(query, request, output)
  }
}

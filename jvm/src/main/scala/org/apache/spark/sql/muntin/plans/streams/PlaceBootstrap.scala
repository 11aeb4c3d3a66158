package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.Bootstrap
import org.apache.spark.sql.muntin.plans.logical.{BootstrapStream, UnresolvedBootstrap}
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinAnalysisException}

/** Replaces the tables of `bootstrap` by a node that runs them, when they are resolved. */
final case class PlaceBootstrap(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedBootstrap(tables, checkpoint, after, output) if tables.forall(_.resolved) =>
      tables.foreach(LocalSession.check(session, _))
      val (query, histories) = (tables.head, tables.tail)
      if (!query.isStreaming || !StreamStateStore.hasStreamWindows(query)) {
        throw new MuntinAnalysisException(
          "MUNTIN_BOOTSTRAP_WITHOUT_WINDOWS",
          "function" -> Bootstrap.name
        )
      }
      query.foreach {
        case mark: EventTimeWatermark if StreamStateStore.hasStreamWindows(mark.child) =>
          throw new MuntinAnalysisException(
            "MUNTIN_BOOTSTRAP_WATERMARK_ABOVE_WINDOWS",
            "time" -> mark.eventTime.name
          )
        case _ =>
      }
      if (histories.exists(_.isStreaming)) {
        throw new MuntinAnalysisException("MUNTIN_BOOTSTRAP_FROM_STREAM")
      }
      BootstrapStream(query, histories, checkpoint, after, output)
  }
}

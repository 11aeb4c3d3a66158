package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.{SparkSession => AnySession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state.OperatorStateMetadata

/**
 * A query that is about to start with a checkpoint. Plans the next micro-batch as Spark would, and
 * compares its operators with the checkpoint's operators. Spark compares them in the first
 * micro-batch of a run, so never in a run without new rows. The checkpoint is only read.
 */
final class StartedQuery private (
    starting: AnySession,
    query: LogicalPlan,
    isUpdate: Boolean,
    before: CommittedBatch
) {
  // Only a query with windows is planned.
  private lazy val session: SparkSession = EndedStream.sessionOf(starting, before, Nil)

  private lazy val stored: Seq[OperatorStateMetadata] =
    EndedStream.operators(starting, before).sortBy(EndedStream.info(_)._1)

  /** Returns the windows in the checkpoint. */
  def storedWindows(name: String): Seq[String] =
    stored.filter(EndedStream.info(_)._2 == name).map(StatefulExec.title)

  /**
   * Returns how the query differs from the checkpoint's query. A micro-batch without rows may be
   * planned differently from a micro-batch with rows: the checkpoint may come from either.
   */
  def difference: Option[QueryDifference] = {
    val found =
      Iterator(EndedStream.withRows(session, _), EndedStream.withoutRows _)
        .map(plan => differenceOf(plan(query)))
    val first = found.next()
    first.filter(_ => found.forall(_.isDefined))
  }

  private def differenceOf(query: LogicalPlan): Option[QueryDifference] = {
    val times = EndedStream.timesAfter(before)
    val operators = EndedStream.writers(
      LastExecution(session, query, before, times, isUpdate).executedPlan
    )
    if (stored.map(EndedStream.info(_)._2) != operators.map(_.shortName)) {
      val here = operators.map {
        case ours: StatefulExec => ours.title
        case other => other.shortName
      }
      def shown(names: Seq[String]) = names.mkString("[", ", ", "]")
      Some(QueryDifference(
        "stateful operators",
        Some(shown(stored.map(StatefulExec.title))),
        Some(shown(here))
      ))
    } else {
      operators.zip(stored).flatMap {
        case (ours: StatefulExec, old) => ours.difference(old)
        case _ => None
      }.headOption
    }
  }
}

object StartedQuery {
  def apply(
      session: AnySession,
      query: LogicalPlan,
      isUpdate: Boolean,
      before: CommittedBatch
  ): StartedQuery = new StartedQuery(session, query, isUpdate, before)
}

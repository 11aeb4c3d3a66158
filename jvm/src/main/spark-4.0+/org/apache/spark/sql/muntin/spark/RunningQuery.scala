package org.apache.spark.sql.muntin.spark

import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.streaming.{AvailableNowTrigger, OneTimeTrigger}
import org.apache.spark.sql.execution.streaming.runtime.{IncrementalExecution, StreamExecution}
import org.apache.spark.sql.internal.SQLConf

/** A running streaming query. */
final class RunningQuery private (execution: StreamExecution) {

  /** The id, which is in the query's checkpoint. */
  def id: UUID = execution.id

  /** The settings of the query, which has a copy of the session that started it. */
  def conf: SQLConf = LocalSession.conf(QuerySession.of(execution))

  def plan: LogicalPlan = execution.analyzedPlan

  /** Returns true if the query has Spark operators with state. */
  def hasStateOfSpark: Boolean = plan.exists { node =>
    node.isStreaming && (node match {
      case join: Join => join.left.isStreaming && join.right.isStreaming
      case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark |
          _: GlobalLimit =>
        true
      // Their names differ between Spark versions.
      case other => other.nodeName.contains("WithState")
    })
  }

  /** Returns the number of watermarks whose least is the query's watermark. */
  def watermarksInStep: Int =
    if (conf.getConf(SQLConf.STREAMING_MULTIPLE_WATERMARK_POLICY) != "min") 1
    else plan.collect { case w: EventTimeWatermark => w }.size

  /** Returns true if the query runs one micro-batch and ends. */
  def runsOnce: Boolean = execution.trigger == OneTimeTrigger

  /** Returns true if the query ends when its sources have no more rows. */
  def isFinite: Boolean = execution.trigger == AvailableNowTrigger

  /** Returns true if this run of the query has executed a micro-batch. */
  def hasRun: Boolean = execution.lastExecution != null

  /** The folder of the query's checkpoint. */
  def checkpoint: String = execution.resolvedCheckpointRoot

  /** The running micro-batch, or the last one. */
  private[spark] def lastExecution: Option[IncrementalExecution] = Option(execution.lastExecution)
}

object RunningQuery {

  /** Returns a running query of the application, in any session, by the id of its run. */
  def apply(session: SparkSession, runId: UUID): Option[RunningQuery] =
    LocalSession.local(session).sharedState.activeStreamingQueries.values.asScala
      .find(_.runId == runId)
      .map(new RunningQuery(_))
}

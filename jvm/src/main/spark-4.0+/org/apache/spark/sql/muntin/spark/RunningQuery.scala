package org.apache.spark.sql.muntin.spark

import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.streaming.{AvailableNowTrigger, OneTimeTrigger}
import org.apache.spark.sql.execution.streaming.runtime.{IncrementalExecution, StreamExecution}
import org.apache.spark.sql.internal.SQLConf

/** A streaming query that runs. */
final class RunningQuery private (execution: StreamExecution) {

  /** What the query's checkpoint keeps. */
  def id: UUID = execution.id

  /** The settings of the query, which has a copy of the session that started it. */
  def conf: SQLConf = LocalSession.conf(QuerySession.of(execution))

  def plan: LogicalPlan = execution.analyzedPlan

  /** Whether the query has operators of Spark's that keep state. */
  def hasStateOfSpark: Boolean = plan.exists { node =>
    node.isStreaming && (node match {
      case join: Join => join.left.isStreaming && join.right.isStreaming
      case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark |
          _: GlobalLimit =>
        true
      // These have other names in other versions.
      case other => other.nodeName.contains("WithState")
    })
  }

  /** How many watermarks the query has whose least is the time of all. */
  def watermarksInStep: Int =
    if (conf.getConf(SQLConf.STREAMING_MULTIPLE_WATERMARK_POLICY) != "min") 1
    else plan.collect { case w: EventTimeWatermark => w }.size

  /** Whether the query runs one micro-batch and ends. */
  def runsOnce: Boolean = execution.trigger == OneTimeTrigger

  /** Whether the query ends when its sources have no more rows. */
  def isFinite: Boolean = execution.trigger == AvailableNowTrigger

  /** Returns true if this run of the query has executed a micro-batch. */
  def hasRun: Boolean = execution.lastExecution != null

  /** The folder of the query's checkpoint. */
  def checkpoint: String = execution.resolvedCheckpointRoot

  /** The micro-batch that runs or was the last to run. */
  private[spark] def lastExecution: Option[IncrementalExecution] = Option(execution.lastExecution)
}

object RunningQuery {

  /** A query that runs in the application, in whichever session, by the id of its run. */
  def apply(session: SparkSession, runId: UUID): Option[RunningQuery] =
    LocalSession.local(session).sharedState.activeStreamingQueries.values.asScala
      .find(_.runId == runId)
      .map(new RunningQuery(_))
}

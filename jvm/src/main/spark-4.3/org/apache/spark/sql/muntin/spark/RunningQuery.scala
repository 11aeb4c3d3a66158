package org.apache.spark.sql.muntin.spark

import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution

/** A streaming query that runs in the application, in whichever session, by the id of its run. */
object RunningQuery {
  def apply(session: SparkSession, runId: UUID): Option[StreamExecution] =
    session.sharedState.activeStreamingQueries.values.asScala.find(_.runId == runId)
}

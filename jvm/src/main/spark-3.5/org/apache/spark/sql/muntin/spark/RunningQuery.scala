package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** A streaming query with windows that runs: there is none. */
final class RunningQuery private () {
  def id: UUID = Streams.refused

  def conf: SQLConf = Streams.refused

  def plan: LogicalPlan = Streams.refused

  def hasStateOfSpark: Boolean = Streams.refused

  def watermarksInStep: Int = Streams.refused

  def runsOnce: Boolean = Streams.refused

  def isFinite: Boolean = Streams.refused

  def hasRun: Boolean = Streams.refused

  def checkpoint: String = Streams.refused
}

object RunningQuery {
  def apply(session: SparkSession, runId: UUID): Option[RunningQuery] = {
    require(session != null && runId != null)
    None
  }
}

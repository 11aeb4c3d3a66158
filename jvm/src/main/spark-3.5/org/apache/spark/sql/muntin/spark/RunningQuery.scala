package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** A running streaming query with windows: not supported on Spark 3.5. */
final class RunningQuery private () {
  def id: UUID = Streams.unsupported

  def conf: SQLConf = Streams.unsupported

  def plan: LogicalPlan = Streams.unsupported

  def hasStateOfSpark: Boolean = Streams.unsupported

  def watermarksInStep: Int = Streams.unsupported

  def runsOnce: Boolean = Streams.unsupported

  def isFinite: Boolean = Streams.unsupported

  def hasRun: Boolean = Streams.unsupported

  def checkpoint: String = Streams.unsupported
}

object RunningQuery {
  def apply(session: SparkSession, runId: UUID): Option[RunningQuery] = {
    require(session != null && runId != null)
    None
  }
}

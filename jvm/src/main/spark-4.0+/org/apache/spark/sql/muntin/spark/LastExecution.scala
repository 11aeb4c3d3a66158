package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.InternalOutputModes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.{IncrementalExecution, WatermarkPropagator}
import org.apache.spark.sql.streaming.OutputMode

/** Plans the micro-batch that would follow the last micro-batch of a checkpoint, or the first. */
private[spark] object LastExecution {
  def apply(
      session: SparkSession,
      query: LogicalPlan,
      before: CommittedBatch,
      times: CheckpointLogs.Times,
      isUpdate: Boolean
  ): IncrementalExecution = new IncrementalExecution(
    session,
    query,
    modeOf(isUpdate),
    before.state,
    UUID.randomUUID,
    UUID.randomUUID,
    before.number + 1L,
    Some(before.times),
    times,
    WatermarkPropagator(session.sessionState.conf),
    // Operators' metadata are written in the first micro-batch of a run.
    isFirstBatch = false
  )

  /** Plans the first micro-batch of a checkpoint, which describes the operators' state. */
  def first(
      session: SparkSession,
      query: LogicalPlan,
      state: String,
      before: CheckpointLogs.Times,
      times: CheckpointLogs.Times,
      isUpdate: Boolean
  ): IncrementalExecution = new IncrementalExecution(
    session,
    query,
    modeOf(isUpdate),
    state,
    UUID.randomUUID,
    UUID.randomUUID,
    0L,
    Some(before),
    times,
    WatermarkPropagator(session.sessionState.conf),
    isFirstBatch = true
  )

  private def modeOf(isUpdate: Boolean): OutputMode =
    if (isUpdate) InternalOutputModes.Update else InternalOutputModes.Append
}

package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StateStoreWriter,
  StatefulOperatorStateInfo
}
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution

/**
 * The micro-batch in which an operator with state runs: the location of the operator's state, and
 * the times. Copies of the operator share it.
 */
final class MicroBatch(
    val place: StatefulOperatorStateInfo,
    /** True if the query's output mode is `update`. */
    val isUpdate: Boolean,
    @transient session: SparkSession
) extends Serializable {
  @transient private var end: IncrementalExecution = _
  @transient private var alone: IncrementalExecution = _
  @transient private var committed: StatefulOperatorStateInfo = _
  @transient private var isBelow = false

  /**
   * True if the micro-batch does not belong to a query. It would follow in a checkpoint if the
   * stream ended there (`EndedStream`): its state is read, and does not change.
   */
  def isEnd: Boolean = end != null

  /**
   * Sets the state to read. `isBelow`: the checkpoint's query has other operators above this
   * query's operators.
   */
  private[spark] def endsIn(
      execution: IncrementalExecution,
      state: StatefulOperatorStateInfo,
      isBelow: Boolean
  ): Unit = {
    end = execution
    committed = state
    this.isBelow = isBelow
  }

  /** Sets the micro-batch that runs without a query, and commits its state (HistoryBatch). */
  private[spark] def runsIn(execution: IncrementalExecution): Unit = alone = execution

  /** The location of the state that is read at the end. */
  private[spark] def atEnd: Option[StatefulOperatorStateInfo] = Option(committed)

  /** True if no micro-batch of the checkpoint was before this one. */
  def isFirst: Boolean = place.storeVersion == 0L

  /**
   * Spark propagates watermarks when all operators of a micro-batch have their places, so they are
   * known when the micro-batch runs, not when it is planned. They are kept here, because Spark
   * forgets them.
   */
  @transient lazy val times: MicroBatch.Times = {
    val now = execution
    val watermarks = now.watermarkPropagator
    MicroBatch.Times(
      watermarks.getInputWatermarkForLateEvents(now.currentBatchId, place.operatorId),
      watermarks.getInputWatermarkForEviction(now.currentBatchId, place.operatorId),
      now.offsetSeqMetadata.batchTimestampMs,
      isFinite,
      isEnd || isLast(now)
    )
  }

  /** The operator's number in its query. */
  def operator: Long = place.operatorId

  /** The micro-batch's number, from 0. */
  def number: Long = place.storeVersion

  /** The query's id, which is in its checkpoint. Call it while the micro-batch runs. */
  def query: UUID = running.fold(place.queryRunId)(_.id)

  /** All operators of the micro-batch: known when it runs, like `times`. */
  @transient lazy val operators: SparkPlan = execution.executedPlan

  /** Returns true if no other operator with state is above the operator in this place. */
  def isTop: Boolean = {
    def isThis(plan: SparkPlan) = plan match {
      case operator: StateStoreWriter => operator.stateInfo.exists(_.operatorId == place.operatorId)
      case _ => false
    }
    !isBelow && !operators.exists {
      case above: StateStoreWriter if !isThis(above) => above.exists(isThis)
      case _ => false
    }
  }

  /**
   * Returns true if the sources are exhausted, and all rows that the watermark permits are emitted.
   * A micro-batch that another run of the query has planned looks the same when it runs again.
   */
  private def isLast(now: IncrementalExecution): Boolean =
    isFinite && now.logical.collectLeaves().filter(_.isStreaming).forall {
      case none: LocalRelation => none.data.isEmpty
      case _ => false
    } && now.prevOffsetSeqMetadata.exists { before =>
      before.batchWatermarkMs == now.offsetSeqMetadata.batchWatermarkMs
    }

  private def isFinite: Boolean = isEnd || running.exists(_.isFinite)

  private def running = RunningQuery(session, place.queryRunId)

  /** The execution that plans the micro-batch, of the running query with this place. */
  private def execution: IncrementalExecution =
    Option(end)
      .orElse(Option(alone))
      .orElse(running.flatMap(_.lastExecution))
      .filter(_.currentBatchId == place.storeVersion)
      .getOrElse(throw new IllegalStateException(s"no micro-batch is running for $place"))
}

object MicroBatch {

  /** In milliseconds, as in Spark. */
  final case class Times(
      /** The operator's watermark in the previous micro-batch. */
      lateWatermark: Long,

      /** The operator's watermark. */
      watermark: Long,

      /** The clock at the start of the micro-batch. */
      clock: Long,

      /** True if the query ends when its sources have no more rows (`availableNow`). */
      isFinite: Boolean,

      /** True if no row and no micro-batch follows. */
      isLast: Boolean
  )
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.v2.{
  LowLatencyClock,
  RealTimeStreamScanExec,
  WriteToDataSourceV2Exec
}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.execution.streaming.RealTimeTrigger
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec
import org.apache.spark.sql.internal.SQLConf

/** Spark's real-time mode: the tasks of a batch run as long as the batch, and emit row by row. */
object RealTimeMode {

  /** True if Spark runs operators with state in this mode. */
  val hasState: Boolean = true

  /** The setting that allows operators that are not on Spark's list. */
  val listSetting: String = SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK.key

  /** Returns true if Spark rejects operators that are not on its list. */
  def isListChecked(conf: SQLConf): Boolean =
    conf.getConf(SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK)

  def isTriggerOf(started: WriteToStreamStatement): Boolean =
    started.trigger.isInstanceOf[RealTimeTrigger]

  /** Returns true if the rows of the plan are from a source in this mode. */
  def isIn(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[RealTimeStreamScanExec])

  /** Returns the duration of a batch in milliseconds; None if the plan is not in this mode. */
  def batchMillis(plan: SparkPlan): Option[Long] =
    plan.collectFirst { case scan: RealTimeStreamScanExec => scan.batchDurationMs }

  /** Returns the time of the clock by which the sources end a batch, in milliseconds. */
  def clockMillis: Long = LowLatencyClock.getTimeMillis()

  /**
   * Returns an operator over the rows of a source in this mode that is not known to emit each row
   * before it reads the next; `emits` are other operators that do.
   */
  def holding(plan: SparkPlan)(emits: SparkPlan => Boolean): Option[SparkPlan] =
    plan.find(node => isIn(node) && !isKnown(node) && !emits(node))

  // A sort, a broadcast of the stream, or a Python worker reads many rows before it emits one.
  private def isKnown(node: SparkPlan): Boolean = node match {
    case _: RealTimeStreamScanExec | _: EventTimeWatermarkExec | _: WriteToDataSourceV2Exec => true
    case _: ProjectExec | _: FilterExec | _: GenerateExec | _: ExpandExec => true
    case _: BroadcastHashJoinExec => true
    case _: WholeStageCodegenExec | _: InputAdapter => true
    case shuffle: ShuffleExchangeExec => shuffle.pipelined
    case _ => false
  }
}

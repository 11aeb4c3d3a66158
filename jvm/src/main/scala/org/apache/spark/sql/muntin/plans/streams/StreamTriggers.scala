package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.plans.logical.GroupWindows
import org.apache.spark.sql.muntin.spark.{
  EndlessTrigger,
  MuntinAnalysisException,
  RealTimeMode,
  UnsupportedTrigger
}
import org.apache.spark.sql.streaming.OutputMode

/**
 * Checks triggers and output modes. Windows over a stream run in micro-batches, and some of them in
 * real-time mode (CheckRealTime). Spark also rejects other triggers, but its error names the first
 * thing that it checks (the sink, a watermark), or an unknown type of trigger. A stream can be
 * drained only if it ends. Not every query supports output mode update, and no query supports
 * complete.
 */
object StreamTriggers extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case started @ UnsupportedTrigger(trigger, condition)
          if StreamStateStore.hasWindows(started.inputQuery) =>
        throw new MuntinAnalysisException(condition, "trigger" -> trigger)
      case started: WriteToStreamStatement =>
        drained(started.inputQuery).foreach(checkEnd(started, _))
        if (started.outputMode == OutputMode.Complete) checkComplete(started.inputQuery)
        if (StreamStateStore.hasWindows(started.inputQuery)) {
          // Real-time mode requires output mode update, but each row has one result.
          if (RealTimeMode.isTriggerOf(started)) CheckRealTime(started.inputQuery)
          else if (started.outputMode == OutputMode.Update) UpdateMode.check(started.inputQuery)
        }
      case _ =>
    }
    plan
  }

  /** Spark's error would report a missing aggregation, although the query may group by windows. */
  private def checkComplete(query: LogicalPlan): Unit = query.collectFirst {
    case windows if windows.isStreaming && StreamStateStore.isWindows(windows) => windows
  }.filterNot(_ => query.exists(above => above.isInstanceOf[Aggregate] && above.isStreaming))
    .foreach { _ =>
      throw new MuntinAnalysisException("MUNTIN_COMPLETE_MODE_OF_WINDOWS")
    }

  /** Rejects draining, which `drain` requests, of a stream that does not end. */
  private def checkEnd(started: WriteToStreamStatement, drain: String): Unit = started match {
    case EndlessTrigger(_) =>
      throw new MuntinAnalysisException("MUNTIN_DRAIN_OF_ENDLESS_STREAM", "drain" -> drain)
    case _ if !SQLConf.get.streamingNoDataMicroBatchesEnabled =>
      throw new MuntinAnalysisException(
        "MUNTIN_DRAIN_WITHOUT_EMPTY_MICRO_BATCH",
        "drain" -> drain,
        "setting" -> SQLConf.STREAMING_NO_DATA_MICRO_BATCHES_ENABLED.key
      )
    case _ =>
  }

  /** Returns the window with `drain => true`. */
  def drainedWindow(query: LogicalPlan): Option[String] = query.collectFirst {
    case w: GroupWindows if w.window.drain.contains(true) => w.window.sql
  }

  /** Returns the setting or argument that drains the query's windows. */
  private def drained(query: LogicalPlan): Option[String] =
    if (!StreamStateStore.hasWindows(query)) None
    else
      drainedWindow(query).orElse(Option.when(SQLConf.get.getConf(MuntinConf.StreamDrain))(
        s"${MuntinConf.StreamDrain.key}=true"
      ))
}

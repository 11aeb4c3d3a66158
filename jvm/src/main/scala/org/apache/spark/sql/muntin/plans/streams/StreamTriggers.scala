package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.plans.logical.GroupWindows
import org.apache.spark.sql.muntin.spark.{EndlessTrigger, OtherTrigger, RealTimeMode}
import org.apache.spark.sql.streaming.OutputMode

/**
 * Checks triggers and output modes. Windows over a stream run in micro-batches, and some of them in
 * real-time mode (CheckRealTime). Spark also rejects other triggers, but its error names whatever
 * it checks first (the sink, a watermark), or an unknown type of trigger. A stream can be drained
 * only if it ends. Not every query supports output mode update, and no query supports complete.
 */
object StreamTriggers extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case started @ OtherTrigger(trigger, why)
          if StreamStateStore.hasWindows(started.inputQuery) =>
        throw InvalidArgument(
          "writeStream",
          "trigger",
          s"$trigger: windows over a stream go from micro-batch to micro-batch" +
            why.fold("")(reason => s", and $reason") + "; write " +
            "trigger(processingTime=\"1 second\"), or no trigger, for one micro-batch after the " +
            "other"
        )
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
      throw InvalidArgument(
        "writeStream",
        "outputMode",
        "complete, which windows over a stream do not support, because they do not retain " +
          "final results. Write outputMode(\"append\"), or outputMode(\"update\") for early " +
          "results"
      )
    }

  /** Rejects draining, which `asked` requests, of a stream that does not end. */
  private def checkEnd(started: WriteToStreamStatement, asked: String): Unit = started match {
    case EndlessTrigger(trigger) =>
      throw InvalidArgument(
        "writeStream",
        "trigger",
        s"$trigger, with $asked: a stream that goes on has no end at which windows that are " +
          "open could come out. Write trigger(availableNow=True), or leave drain out"
      )
    case _ if !SQLConf.get.streamingNoDataMicroBatchesEnabled =>
      throw InvalidArgument(
        "writeStream",
        SQLConf.STREAMING_NO_DATA_MICRO_BATCHES_ENABLED.key,
        "false: a stream is drained in a micro-batch without rows. Set it to true, or leave " +
          "drain out"
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

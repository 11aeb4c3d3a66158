package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.EVENT_TIME_WATERMARK
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.InvalidArgument

/**
 * Refuses a watermark over windows of a stream, in the order of time. Spark has one watermark for a
 * query, the least of all: the windows would wait for the watermark above them, and this for rows
 * of the windows. Nothing would ever come out.
 */
object CheckWatermarks extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (
      plan.isStreaming && plan.containsPattern(EVENT_TIME_WATERMARK) &&
      !MuntinConf.isByArrival(SQLConf.get)
    ) plan.foreach {
      case marked: EventTimeWatermark =>
        marked.child.find(w => w.isStreaming && StreamStateStore.isWindows(w)).foreach { windows =>
          val times = windows match {
            case groups: GroupWindows =>
              s": ${MissingWatermark.ofWindows(groups)}"
            case _ => ""
          }
          throw InvalidArgument(
            "withWatermark",
            "eventTime",
            s"${marked.eventTime.name}, over windows of a stream, which would wait for a " +
              "watermark that waits for them. Leave it out: what is over windows goes by their " +
              s"own time$times"
          )
        }
      case _ =>
    }
}

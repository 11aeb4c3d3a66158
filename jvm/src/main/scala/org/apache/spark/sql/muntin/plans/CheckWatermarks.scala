package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern.EVENT_TIME_WATERMARK
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.{GroupWindow, InvalidArgument}
import org.apache.spark.sql.muntin.spark.JoinOn
import org.apache.spark.sql.muntin.streaming.StreamTimes

/**
 * Refuses a watermark over windows of a stream, in the order of time. Spark has one watermark for a
 * query, the least of all: the windows would wait for the watermark above them, and this for rows
 * of the windows. Nothing would ever come out.
 */
object CheckWatermarks extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = {
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
    if (plan.isStreaming && plan.containsPattern(GroupWindow.Pattern)) plan.foreach(checkBehind)
  }

  /**
   * Rows that go by when windows below begin wait longer than the watermark says, which other times
   * of the rows still have: an operator that goes by the watermark would take the rows for late.
   */
  private def checkBehind(above: LogicalPlan): Unit = above match {
    case AnchoredOrOfSpark() if above.isStreaming =>
      for {
        child <- above.children
        time <- child.output.find(StreamTimes.hasMark)
        windows <- child.find(TimesBelow.isTold)
      } throw InvalidArgument(
        above.nodeName,
        "time",
        s"${time.name}, of rows that come out later than its time says, since below " +
          s"${windows.nodeName} goes by when windows begin. Write its rows to a table, and go on " +
          "from the table; or go by the ends of windows, as in w.end"
      )
    case _ =>
  }

  private object AnchoredOrOfSpark {
    def unapply(plan: LogicalPlan): Boolean = plan match {
      case windows: AnchoredWindows => windows.due.isDefined
      case JoinOn(left, right, _, _) => left.isStreaming && right.isStreaming
      case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark => true
      case _ => false
    }
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern.EVENT_TIME_WATERMARK
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.{AsOf, WindowBy}
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.logical.{GroupWindows, StreamWindows}
import org.apache.spark.sql.muntin.spark.{GroupBy, JoinOn, MuntinAnalysisException}
import org.apache.spark.sql.muntin.streaming.StreamTimes

/**
 * Rejects a watermark over windows of a stream, in the order of time. Spark has one watermark for a
 * query, the minimum of all. The windows would wait for the watermark above them, and that
 * watermark for rows of the windows, so the query would never emit a row.
 */
object CheckWatermarks extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = {
    if (
      plan.isStreaming && plan.containsPattern(EVENT_TIME_WATERMARK) &&
      !MuntinConf.isByArrival(SQLConf.get)
    ) plan.foreach {
      case marked: EventTimeWatermark =>
        marked.child.find(w => w.isStreaming && StreamStateStore.isWindows(w)).foreach { windows =>
          throw circular(marked.eventTime.name, windows)
        }
      case _ =>
    }
    if (plan.isStreaming && plan.containsPattern(GroupWindow.Pattern)) plan.foreach(checkDownstream)
  }

  private def circular(eventTime: String, windows: LogicalPlan): MuntinAnalysisException = {
    val times = windows match {
      case groups: GroupWindows => MissingWatermark.timesOf(groups)
      case _ => Nil
    }
    if (times.isEmpty) {
      new MuntinAnalysisException("MUNTIN_WATERMARK_OVER_WINDOWS", "eventTime" -> eventTime)
    } else {
      new MuntinAnalysisException(
        "MUNTIN_WATERMARK_OVER_GROUP_WINDOWS",
        "eventTime" -> eventTime,
        "times" -> times.mkString(" or ")
      )
    }
  }

  /**
   * Rows of windows that wait for rows, or are ordered by the start time of upstream windows, lag
   * the watermark, although their time columns still carry it: Spark's stateful operators would
   * drop the rows as late, or would never advance.
   */
  private def checkDownstream(above: LogicalPlan): Unit =
    if (above.isStreaming) {
      val times = above match {
        case GroupBy(grouping, _, _) => grouping.filter(hasMark)
        case JoinOn(left, right, _, on)
            if left.isStreaming && right.isStreaming && !on.exists(isOfMuntin) =>
          (left.output ++ right.output).filter(StreamTimes.hasMark)
        case other if isOfSpark(other) =>
          other.children.flatMap(_.output).filter(StreamTimes.hasMark)
        case _ => Nil
      }
      for {
        time <- times.headOption
        windows <- above.children.flatMap(_.find(UpstreamTimes.lagsWatermark)).headOption
      } throw new MuntinAnalysisException(
        "MUNTIN_ROWS_LAG_WATERMARK",
        "operator" -> above.nodeName,
        "time" -> toPrettySQL(time),
        "upstream" -> lagging(windows)
      )
    }

  /** Returns true for a join of DataFrame code that Muntin replaces later: by window_by, asof. */
  private def isOfMuntin(condition: Expression): Boolean =
    condition.exists(e => e.isInstanceOf[WindowBy] || e.isInstanceOf[AsOf])

  /** Names the upstream function that waits for rows, or the upstream windows. */
  private def lagging(windows: LogicalPlan): String =
    Option(windows).collect { case over: StreamWindows => over }
      .flatMap(StreamWindowsCheck.waitingForRows)
      .fold(windows.nodeName)(_.sql)

  private def hasMark(grouping: Expression): Boolean = grouping match {
    case a: Attribute => StreamTimes.hasMark(a)
    case named: NamedExpression => StreamTimes.hasMark(named.toAttribute)
    case field: GetStructField => StreamTimes.hasMark(Alias(field, "field")().toAttribute)
    case _ => false
  }

  private def isOfSpark(plan: LogicalPlan): Boolean = plan match {
    case _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark => true
    case _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState => true
    // Spark 3.5 does not have this operator; later versions have several.
    case other => other.nodeName.startsWith("TransformWithState")
  }
}

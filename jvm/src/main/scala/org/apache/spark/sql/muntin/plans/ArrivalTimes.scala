package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.streaming.ResultTime

/**
 * By what time an operator over windows goes in the order of arrival. Windows of one operator below
 * are emitted in the order of their ends, since a row of any group moves time on for all groups.
 * These are not in order:
 *
 *   - windows of several operators (UNION), each of which has the time of its own rows;
 *   - windows in the order in which they begin, if one group above has windows of several groups
 *     below: a window that began earlier may still be open.
 *
 * There the operator goes by the bound that the operators below report (ResultsBound), as in the
 * order of time: rows wait for it. Guarded by ArrivalUnionSuite.
 */
private[muntin] object ArrivalTimes {

  /** `found`: where the time comes from in each part of the rows, if its bound is known. */
  def apply(
      time: Expression,
      keys: Seq[Expression],
      rows: LogicalPlan,
      found: => Seq[Option[ResultTime]]
  )(invalid: String => AnalysisException): Seq[ResultTime] =
    if (!rows.exists(isWindows) || isInStep(rows)) Nil
    else
      found match {
        case Seq(one) => one.filter(t => t.isBegin && !isWithin(keys, t, rows)).toSeq
        case parts =>
          parts.map(_.filter(isInTime(_, rows)).getOrElse(throw invalid(
            s"${time.sql}, over a UNION in which windows are not in order: each part has a time " +
              "of its own, and it is not known how far behind the other parts it is. Group the " +
              s"rows by windows in each part, with ${time.sql} as the end of the windows (or the " +
              "start of validity); or write UNION below the windows; or set " +
              "spark.muntin.stream.order=watermark"
          )))
      }

  /** Refuses what `apply` refuses, when all windows of a query are placed. */
  object Check extends (LogicalPlan => Unit) {
    override def apply(plan: LogicalPlan): Unit =
      if (MuntinConf.isByArrival(SQLConf.get) && plan.isStreaming) plan.foreach {
        case windows: GroupWindows if windows.isStreaming =>
          GroupStreamTime.results(windows): Unit
        case windows: StreamWindows => StreamWindowsCheck.results(windows): Unit
        case _ =>
      }
  }

  /** Returns true if each row is emitted in the micro-batch that brings it. */
  private def isInStep(rows: LogicalPlan): Boolean = rows match {
    case windows: StreamWindows =>
      StreamWindowsCheck.isImmediate(windows) && isInStep(windows.child)
    case windows if isWindows(windows) => false
    case other => other.children.forall(child => !child.isStreaming || isInStep(child))
  }

  private def isWindows(plan: LogicalPlan): Boolean =
    plan.isStreaming && StreamStateStore.isWindows(plan)

  private def isInTime(time: ResultTime, rows: LogicalPlan): Boolean = rows.collectFirst {
    case windows: StreamWindows if windows.results.exists(_.exprId == time.of) =>
      StreamWindowsCheck.isInTime(windows)
  }.getOrElse(true)

  /** Returns true if the rows of a group above are windows of one group below. */
  private def isWithin(keys: Seq[Expression], time: ResultTime, rows: LogicalPlan): Boolean =
    rows match {
      case windows: GroupWindows if windows.windowAttribute.exprId == time.of =>
        windows.keys.forall(key => keys.exists(_.semanticEquals(key)))
      case Project(list, child) => isWithin(keys.map(Origin.below(_, list)), time, child)
      case windows: StreamWindows =>
        isWithin(keys, time, windows.child)
      case other: UnaryNode => isWithin(keys, time, other.child)
      case _ => false
    }
}

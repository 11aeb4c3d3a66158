package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.plans.logical.{ExpressionLineage, GroupWindows, StreamWindows}
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException

/**
 * Determines the time that an operator over windows uses in the order of arrival. One upstream
 * operator emits its windows in the order of their ends, because a row of any group advances time
 * for all groups. These windows are not in order:
 *
 *   - windows of several operators (UNION), because each operator has the time of its own rows;
 *   - windows ordered by their start, if one downstream group has windows of several upstream
 *     groups: a window that began earlier may still be open.
 *
 * For these the operator uses the bound that the upstream operators report (StreamClock), as in
 * the order of time: rows are buffered until the bound has passed. Guarded by ArrivalUnionSuite.
 */
private[muntin] object ArrivalTimes {

  /**
   * Returns the times whose bound is used; `foundTimes`: the source of `time` per part, if known.
   */
  def apply(
      function: String,
      time: Expression,
      keys: Seq[Expression],
      rows: LogicalPlan,
      foundTimes: => Seq[Option[ResultTime]]
  ): Seq[ResultTime] =
    if (!rows.exists(isWindows) || isInStep(rows)) Nil
    else
      foundTimes match {
        case Seq(one) => one.filter(t => t.isBegin && !isWithin(keys, t, rows)).toSeq
        case parts =>
          parts.map(_.filter(isInTime(_, rows)).getOrElse(
            throw new MuntinAnalysisException(
              "MUNTIN_UNION_NOT_IN_ORDER",
              "function" -> function,
              "time" -> toPrettySQL(time)
            )
          ))
      }

  /** Rejects the same queries as `apply`, when all windows of a query are placed. */
  object Check extends (LogicalPlan => Unit) {
    override def apply(plan: LogicalPlan): Unit =
      if (MuntinConf.isByNewest(SQLConf.get) && plan.isStreaming) plan.foreach {
        case windows: GroupWindows if windows.isStreaming =>
          GroupStreamTime.results(windows): Unit
        case windows: StreamWindows => StreamWindowsCheck.results(windows): Unit
        case _ =>
      }
  }

  /** Returns true if each row is emitted in the micro-batch that brings it. */
  private def isInStep(rows: LogicalPlan): Boolean = rows match {
    case windows: StreamWindows =>
      windows.job.plan.isImmediate && isInStep(windows.child)
    case windows if isWindows(windows) => false
    case other => other.children.forall(child => !child.isStreaming || isInStep(child))
  }

  private def isWindows(plan: LogicalPlan): Boolean =
    plan.isStreaming && StreamStateStore.isWindows(plan)

  private def isInTime(time: ResultTime, rows: LogicalPlan): Boolean = rows.collectFirst {
    case windows: StreamWindows if windows.results.exists(_.exprId == time.column) =>
      windows.job.delay.isDefined
  }.getOrElse(true)

  /** Returns true if the rows of a group above are windows of one group below. */
  private def isWithin(keys: Seq[Expression], time: ResultTime, rows: LogicalPlan): Boolean =
    rows match {
      case windows: GroupWindows if windows.windowAttribute.exprId == time.column =>
        windows.keys.forall(key => keys.exists(_.semanticEquals(key)))
      case Project(list, child) =>
        isWithin(keys.map(ExpressionLineage.throughProject(_, list)), time, child)
      case windows: StreamWindows =>
        isWithin(keys, time, windows.child)
      case other: UnaryNode => isWithin(keys, time, other.child)
      case _ => false
    }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  Bounds,
  GroupWindows,
  StreamWindows
}

/**
 * In the order `group`, rejects windows that need a time of all groups. In this order each group
 * has a time of its own, and results of a group depend on its own rows only:
 *
 *   - windows that the rows of all groups end or cut, such as `ticks`, and windows of anchors;
 *   - a bound, which advances time for all groups;
 *   - windows over windows that wait for rows: a downstream group may have rows of several upstream
 *     groups, each of which emits its rows when its own next row arrives;
 *   - windows that the wall clock closes.
 *
 * Windows over OVER whose rows are emitted as they arrive have the rows of the stream. Guarded by
 * GroupOrderSuite.
 */
private[muntin] object CheckGroupOrder extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (MuntinConf.isByGroup(SQLConf.get) && plan.isStreaming) plan.foreach { node =>
      if (node.isStreaming && StreamStateStore.isWindows(node)) check(node)
    }

  private def check(windows: LogicalPlan): Unit = {
    val name = nameOf(windows)
    windows match {
      case groups: GroupWindows if groups.plan.endsByNewest || groups.marks.isDefined =>
        throw invalid(
          name,
          s"rows of all groups end or cut the windows of $name",
          "Group by tumble, hop, field_window without every, sessions, or validity without dump_at"
        )
      case _: AnchoredWindows =>
        throw invalid(name, "an anchor waits for the end of its window", "Leave window_by out")
      case groups: GroupWindows
          if groups.plan.hasClosing && SQLConf.get.getConf(MuntinConf.StreamCloseAfter).isDefined =>
        throw invalid(
          name,
          "the wall clock must not close windows, which only rows of their own group close",
          s"Unset ${MuntinConf.StreamCloseAfter.key}"
        )
      case _ =>
    }
    windows.children.foreach { child =>
      child.foreach {
        case _: Bounds =>
          throw invalid(
            name,
            "a bound advances time for all groups",
            "Filter the bounds out without bound(…)"
          )
        case below if waits(below) =>
          throw invalid(
            name,
            s"the upstream ${nameOf(below)} emits a row when the next row of its own group " +
              "arrives, so its rows of several groups are not in order",
            "Write the upstream windows to a table or a topic, and read that"
          )
        case _ =>
      }
    }
  }

  /**
   * Returns true for windows of a stream that may emit a row after the micro-batch that brings it.
   */
  def waits(plan: LogicalPlan): Boolean = plan match {
    case windows: StreamWindows => !windows.job.plan.endsWithPeers
    case other => other.isStreaming && StreamStateStore.isWindows(other)
  }

  private def nameOf(windows: LogicalPlan): String = windows match {
    case groups: GroupWindows => groups.plan.prettyName
    case _: AnchoredWindows => WindowBy.name
    case _ => "OVER"
  }

  private def invalid(function: String, reason: String, advice: String): AnalysisException =
    InvalidArgument(
      function,
      MuntinConf.StreamOrder.key,
      s"group: each group has a time of its own, but $reason. $advice, or set " +
        s"${MuntinConf.StreamOrder.key}=watermark"
    )
}

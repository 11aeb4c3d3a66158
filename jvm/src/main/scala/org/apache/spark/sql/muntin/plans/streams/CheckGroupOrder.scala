package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  Bounds,
  GroupWindows,
  SelfAnchoredWindows,
  StreamWindows
}
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException

/**
 * In the order `group`, rejects windows that need a time of all groups. In this order each group
 * has a time of its own, and results of a group depend on its own rows only:
 *
 *   - windows that the rows of all groups end or cut, such as `ticks`;
 *   - windows of anchors of another stream (SelfAnchoring);
 *   - a bound, which advances time for all groups;
 *   - windows over windows that wait for rows: a downstream group may have rows of several upstream
 * groups, and each of these emits its rows when its own next row arrives;
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
        throw new MuntinAnalysisException("MUNTIN_WINDOWS_OF_ALL_GROUPS", "function" -> name)
      // The query was written in another order.
      case _: AnchoredWindows =>
        throw new MuntinAnalysisException(
          "MUNTIN_WINDOW_BY_OF_SEVERAL_STREAMS",
          "function" -> name
        )
      case groups: GroupWindows
          if groups.plan.hasClosing && SQLConf.get.getConf(MuntinConf.StreamCloseAfter).isDefined =>
        throw new MuntinAnalysisException(
          "MUNTIN_CLOSE_AFTER_IN_GROUP_ORDER",
          "function" -> name,
          "setting" -> MuntinConf.StreamCloseAfter.key
        )
      case _ =>
    }
    windows.children.foreach { child =>
      child.foreach {
        case _: Bounds =>
          throw new MuntinAnalysisException("MUNTIN_BOUND_IN_GROUP_ORDER", "function" -> name)
        case below if waits(below) =>
          throw new MuntinAnalysisException(
            "MUNTIN_UPSTREAM_WAITS_IN_GROUP_ORDER",
            "function" -> name,
            "upstream" -> nameOf(below)
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
    case _: AnchoredWindows | _: SelfAnchoredWindows => WindowBy.name
    case _ => "OVER"
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.{Bound, Revision, WindowBy}
import org.apache.spark.sql.muntin.plans.logical._
import org.apache.spark.sql.muntin.spark.{JoinOn, MuntinAnalysisException, RealTimeMode}

/**
 * Rejects a query with windows that does not run in Spark's real-time mode. Rows pass through the
 * query one by one, so it contains only operators that emit each row before they read the next, and
 * one operator with windows: OVER whose frames end at the current row, or windows of GROUP BY and
 * of anchors that rows of their own group close. `StreamRefusals` checks the physical plan. Guarded
 * by RealTimeRefusalsSuite.
 */
private[plans] object CheckRealTime {
  def apply(query: LogicalPlan): Unit = {
    val plan = InlinedCtes(query)
    plan.foreach(node => if (node.isStreaming) check(node))
    val windows = plan.collect { case node if StreamStateStore.isWindows(node) => node }
    if (windows.size > 1) {
      throw new MuntinAnalysisException(
        "MUNTIN_SEVERAL_WINDOWS_IN_REAL_TIME_MODE",
        "operators" -> windows.size.toString
      )
    }
    checkSettings(SQLConf.get)
    // Again, since the query may have been written before the order was set.
    CheckGroupOrder(plan)
  }

  private def checkSettings(conf: SQLConf): Unit = {
    val order = conf.getConf(MuntinConf.StreamOrder)
    if (!MuntinConf.isByGroup(conf)) {
      throw new MuntinAnalysisException(
        "MUNTIN_REAL_TIME_MODE_REQUIRES_GROUP_ORDER",
        "setting" -> MuntinConf.StreamOrder.key,
        "order" -> order
      )
    }
    if (RealTimeMode.isListChecked(conf)) {
      throw new MuntinAnalysisException(
        "MUNTIN_REAL_TIME_MODE_REQUIRES_SETTING",
        "setting" -> RealTimeMode.listSetting
      )
    }
  }

  private def check(node: LogicalPlan): Unit = node match {
    case windows: StreamWindows =>
      checkRevision(windows.revision)
      StreamWindowsCheck.lookingAhead(windows).foreach { function =>
        throw new MuntinAnalysisException(
          "MUNTIN_LOOK_AHEAD_IN_REAL_TIME_MODE",
          "call" -> function.sql
        )
      }
    case windows: GroupWindows => checkRevision(windows.revision)
    case windows: SelfAnchoredWindows => checkRevision(windows.revision)
    case _: AnchoredWindows =>
      throw unsupported(WindowBy.name)
    case _: Bounds =>
      throw unsupported(s"${Bound.name}(…)")
    case _ if isInPython(node) =>
      throw unsupported("a Python function")
    case JoinOn(left, right, _, _) if left.isStreaming && right.isStreaming =>
      throw unsupported("a join of two streams")
    case JoinOn(_, _, _, _) =>
    case _: Project | _: Filter | _: Generate | _: SubqueryAlias | _: View | _: ResolvedHint =>
    case _: EventTimeWatermark | _: Expand | _: LeafNode =>
    case other =>
      throw unsupported(other.nodeName)
  }

  private def checkRevision(revision: Option[Attribute]): Unit = if (revision.isDefined) {
    throw new MuntinAnalysisException(
      "MUNTIN_REVISION_IN_REAL_TIME_MODE",
      "function" -> Revision.name
    )
  }

  private def isInPython(node: LogicalPlan): Boolean =
    node.isInstanceOf[PythonWindows] || node.expressions.exists(_.exists(_.isInstanceOf[PythonUDF]))

  private def unsupported(operator: String): MuntinAnalysisException =
    new MuntinAnalysisException("MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE", "operator" -> operator)
}

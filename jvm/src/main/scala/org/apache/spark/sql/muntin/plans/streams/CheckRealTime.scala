package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.{Bound, Revision, WindowBy}
import org.apache.spark.sql.muntin.expressions.common.InvalidArgument
import org.apache.spark.sql.muntin.plans.logical._
import org.apache.spark.sql.muntin.spark.{JoinOn, RealTimeMode}

/**
 * Rejects a query with windows that does not run in Spark's real-time mode. Rows pass through the
 * query one by one, so it contains only operators that emit each row before they read the next, and
 * one operator with windows: OVER whose frames end at the current row, or windows of GROUP BY that
 * rows of their own group close. `StreamRefusals` checks the physical plan. Guarded by
 * RealTimeRefusalsSuite.
 */
private[plans] object CheckRealTime {
  private val InMicroBatches = "write trigger(processingTime=\"1 second\")"

  def apply(query: LogicalPlan): Unit = {
    val plan = InlinedQueries(query)
    plan.foreach(node => if (node.isStreaming) check(node))
    val windows = plan.collect { case node if StreamStateStore.isWindows(node) => node }
    if (windows.size > 1) {
      throw invalid(
        s"${windows.size} OVER or GROUP BY clauses that need a stateful operator each. Use one " +
          s"PARTITION BY and ORDER BY, and no window over the result of another, or $InMicroBatches"
      )
    }
    checkSettings(SQLConf.get)
    // Again, since the query may have been written before the order was set.
    CheckGroupOrder(plan)
  }

  private def checkSettings(conf: SQLConf): Unit = {
    val order = conf.getConf(MuntinConf.StreamOrder)
    if (!MuntinConf.isByGroup(conf)) {
      throw invalid(
        s"${MuntinConf.StreamOrder.key}=$order. Real-time mode emits each row as it arrives, and " +
          s"a row has to be in order within its group only. Set ${MuntinConf.StreamOrder.key}=" +
          "group before you write the query"
      )
    }
    if (RealTimeMode.isListChecked(conf)) {
      throw invalid(
        "operators that are not on Spark's list for this mode. Set " +
          s"${RealTimeMode.listSetting}=false to allow them"
      )
    }
  }

  private def check(node: LogicalPlan): Unit = node match {
    case windows: StreamWindows =>
      checkRevision(windows.revision)
      StreamWindowsCheck.lookingAhead(windows).foreach { function =>
        throw invalid(
          s"${function.sql}, which may wait for a later row. End the frame at CURRENT ROW, or " +
            InMicroBatches
        )
      }
    case windows: GroupWindows => checkRevision(windows.revision)
    case _: AnchoredWindows =>
      throw invalid(
        s"${WindowBy.name}, whose anchors wait for the ends of their windows. Use OVER, or " +
          InMicroBatches
      )
    case _: Bounds =>
      throw invalid(
        s"${Bound.name}(…), which advances time for all groups, but each group has a time of its " +
          "own. Filter the rows without it"
      )
    case _ if isInPython(node) =>
      throw invalid(
        "a Python function, which receives many rows at a time. Use functions of SQL, or " +
          InMicroBatches
      )
    case JoinOn(left, right, _, _) if left.isStreaming && right.isStreaming =>
      throw invalid(s"a join of two streams. Join the stream with a table, or $InMicroBatches")
    case JoinOn(_, _, _, _) =>
    case _: Project | _: Filter | _: Generate | _: SubqueryAlias | _: View | _: ResolvedHint =>
    case _: EventTimeWatermark | _: LeafNode =>
    case other =>
      throw invalid(
        s"${other.nodeName}, which real-time mode does not run together with windows. Remove it, " +
          s"or $InMicroBatches"
      )
  }

  private def checkRevision(revision: Option[Attribute]): Unit = if (revision.isDefined) {
    throw invalid(s"${Revision.name}(), but each result is final. Remove ${Revision.name}()")
  }

  private def isInPython(node: LogicalPlan): Boolean =
    node.isInstanceOf[PythonWindows] || node.expressions.exists(_.exists(_.isInstanceOf[PythonUDF]))

  private def invalid(what: String): AnalysisException =
    InvalidArgument("writeStream", "trigger", s"realTime, in a query with $what")
}

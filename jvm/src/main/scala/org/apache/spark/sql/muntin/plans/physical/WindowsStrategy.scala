package org.apache.spark.sql.muntin.plans.physical

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.anchored.{AnchoredWindowsExec, CheckedAnchorsExec}
import org.apache.spark.sql.muntin.execution.frames.PlannedAggregates
import org.apache.spark.sql.muntin.execution.groups.{ClusteredByKeysExec, GroupWindowsExec}
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.muntin.execution.python.PythonWindowsExec
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.anchored.{AnchoredStreams, CheckAnchoredWindows}
import org.apache.spark.sql.muntin.plans.asof.{AsOfColumns, OverlapJoins}
import org.apache.spark.sql.muntin.plans.logical._
import org.apache.spark.sql.muntin.plans.refresh.{RefreshExec, RefreshTable}
import org.apache.spark.sql.muntin.plans.streams.{
  BoundTimes,
  GroupStreamJob,
  ReportedTimes,
  StreamMarks,
  StreamWindowsCheck
}
import org.apache.spark.sql.muntin.spark.{HistoryRows, JoinOn, StatefulExec}
import org.apache.spark.sql.muntin.streaming.{
  BootstrapExec,
  BoundsExec,
  ChangeExec,
  HistoryRowsExec,
  LateRowsExec,
  PendingExec,
  RepartitionExec,
  RestoreExec,
  StateExec,
  StreamClock,
  StreamWindowsExec
}

/** Plans Muntin's own nodes: windows of groups, of anchors, and of streams. */
object WindowsStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = planned.lift(plan).toSeq

  private def planned: PartialFunction[LogicalPlan, SparkPlan] = {
    case windows: StreamWindows =>
      val job = windows.job
      val results = StreamWindowsCheck.results(windows)
      val clock = new StreamClock(usesUpstream = results.nonEmpty)
      val rows = LateRows(
        job.name,
        job.time,
        clock,
        ReportedTimes.of(results, clock)(windows.child),
        isExchanged = MuntinConf.isByNewest(SQLConf.get) || results.nonEmpty
      )
      StreamWindowsExec.unplaced(job, planLater(rows), clock)
    case windows: GroupWindows if windows.isStreaming =>
      val (job, child, clock) = GroupStreamJob.planned(windows)
      val marksPlan = windows.marks.fold(StatefulExec.noMarksPlan)(StreamMarks(job, _, clock))
      StreamWindowsExec.unplaced(job, planLater(child), clock, marksPlan)
    case windows: AnchoredWindows if windows.onStream.isDefined =>
      AnchoredStreams(windows, planLater(_))
    case windows: SelfAnchoredWindows =>
      val job = windows.job
      val clock = new StreamClock()
      val rows = LateRows(job.name, job.arrivalTime, clock, windows.child, isExchanged = false)
      StreamWindowsExec.unplaced(job, planLater(rows), clock)
    case ReportedTimes(report, windows) =>
      planned(windows) match {
        case operator: StreamWindowsExec => operator.copy(reports = Some(report))
        case other => throw new IllegalStateException(s"no windows of a stream:\n$other")
      }
    // The operator writes the named columns directly in the query's order.
    case Project(outputs, windows: GroupWindows)
        if !windows.isStreaming && outputs.forall(isBare) =>
      grouped(paned(windows), outputs)
    case windows: GroupWindows => grouped(paned(windows), windows.output)
    case w: AnchoredWindows =>
      AnchoredWindowsExec(
        w.anchorKeys,
        w.sourceKeys,
        w.bounds,
        w.functions,
        w.results,
        planLater(w.left),
        planLater(w.right)
      )(new PlannedAggregates(WindowBy.name, w.functions))
    // Other names stay above: Spark's Project derives from them the partitioning of the rows.
    case Project(columns, rows: AsOfRows) if columns.forall(_.isInstanceOf[Attribute]) =>
      AsOfColumns.planned(rows, columns.map(_.toAttribute), planLater(_))
    case rows: AsOfRows => AsOfColumns.planned(rows, rows.output, planLater(_))
    case LateRows(function, time, clock, child, isExchanged) =>
      val bounded =
        if (MuntinConf.isByNewest(SQLConf.get)) BoundTimes(child, time, clock) else child
      LateRowsExec(
        function,
        time,
        planLater(bounded),
        clock,
        isExchanged = isExchanged,
        usesUpstream = clock.usesUpstream
      )
    case Bounds(condition, child, times, delays, clocks) =>
      BoundsExec(condition, times, delays, clocks, planLater(child))
    case PendingWindows(query, checkpoint, batch, output) =>
      PendingExec(query, checkpoint, batch, output)
    case Project(columns, rows: HistoryRows) =>
      val read = rows.output.filter(AttributeSet(columns).contains)
      ProjectExec(columns, HistoryRowsExec(read, rows.planOf(read)))
    case rows: HistoryRows => HistoryRowsExec(rows.output, rows.planOf(rows.output))
    case CheckpointState(checkpoint, batch, output) => StateExec(checkpoint, batch, output)
    case RestoreCheckpoint(checkpoint, to, batch, output) =>
      RestoreExec(checkpoint, to, batch, output)
    case RepartitionCheckpoint(checkpoint, partitions, to, output) =>
      RepartitionExec(checkpoint, partitions, to, output)
    case BootstrapStream(query, histories, checkpoint, after, output) =>
      BootstrapExec(query, histories, checkpoint, after, output)
    case ChangeStream(query, request, output) => ChangeExec(query, request, output)
    case RefreshTable(query, changes, request, output) =>
      RefreshExec(query, changes, request, output)
    case PanePartials(keys, pane, bounds, partials, results, child) =>
      PanePartialsExec(keys, pane, bounds, partials, results, planLater(child))
    case PythonWindows(calls, results, child) =>
      val plannedChild = planLater(child)
      val both = PythonWindowsExec.nodesOver(
        calls,
        results,
        plannedChild.output,
        None,
        Nil,
        Nil,
        plannedChild
      )
      ProjectExec(child.output ++ results, both)
    case ClusteredByKeys(keys, child) => ClusteredByKeysExec(keys, planLater(child))
    case CheckedAnchors(keys, order, start, end, obsolete, child) =>
      CheckedAnchorsExec(keys, order, start, end, obsolete, planLater(child))
    case OverlapJoins(left, right, planned) => planned(planLater(left), planLater(right))
    case join @ JoinOn(_, _, _, Some(condition)) if condition.exists(_.isInstanceOf[WindowBy]) =>
      throw CheckAnchoredWindows.misplaced(join)
  }

  private def isBare(expression: NamedExpression): Boolean =
    GroupWindowsExec.bare(expression).isInstanceOf[Attribute]

  private def paned(windows: GroupWindows): GroupWindows =
    if (SQLConf.get.getConf(MuntinConf.PanesEnabled)) PanePartials.of(windows).getOrElse(windows)
    else windows

  private def grouped(windows: GroupWindows, outputs: Seq[NamedExpression]): SparkPlan =
    GroupWindowsExec(
      windows.keys,
      windows.plan,
      windows.windowAttribute,
      windows.functions,
      windows.results,
      planGlobalValue(windows),
      outputs,
      planLater(windows.child)
    )(new PlannedAggregates(windows.plan.prettyName, windows.functions))

  /**
   * Computed over the windows' own clustered rows, so that both use one exchange. Adaptive
   * execution plans the node again after it has run a part of it, and identifies the subquery by
   * its id.
   */
  private def planGlobalValue(windows: GroupWindows): Option[Expression] = {
    def clustered = ClusteredByKeys(windows.keys, windows.child)
    windows.globalValue.orElse(windows.ofAllGroups(clustered, windows.windowAttribute.exprId))
  }
}

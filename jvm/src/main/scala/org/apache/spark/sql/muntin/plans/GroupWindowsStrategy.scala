package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.{GroupWindowsExec, TogetherExec}
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.muntin.spark.StatefulExec
import org.apache.spark.sql.muntin.streaming.StreamWindowsExec

/** Plans the windows of groups. */
object GroupWindowsStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case windows: GroupWindows if windows.isStreaming =>
      val (job, child) = GroupStreamJob.planned(windows)
      val beside = windows.marks.fold(StatefulExec.nothingBeside)(StreamMarks(job, _))
      StreamWindowsExec.unplaced(job, planLater(child), beside) :: Nil
    // The columns that a query names are put in their order where they are written.
    case Project(outputs, windows: GroupWindows)
        if !windows.isStreaming && outputs.forall(isBare) =>
      planned(paned(windows), outputs) :: Nil
    case windows: GroupWindows => planned(paned(windows), windows.output) :: Nil
    case PanePartials(keys, pane, bounds, partials, results, child) =>
      PanePartialsExec(keys, pane, bounds, partials, results, planLater(child)) :: Nil
    case Together(keys, child) => TogetherExec(keys, planLater(child)) :: Nil
    case _ => Nil
  }

  private def isBare(expression: NamedExpression): Boolean =
    GroupWindowsExec.bare(expression).isInstanceOf[Attribute]

  private def paned(windows: GroupWindows): GroupWindows =
    if (SQLConf.get.getConf(MuntinConf.PanesEnabled)) PanePartials.of(windows).getOrElse(windows)
    else windows

  private def planned(windows: GroupWindows, outputs: Seq[NamedExpression]): SparkPlan =
    GroupWindowsExec(
      windows.keys,
      windows.window,
      windows.windowAttribute,
      windows.functions,
      windows.results,
      known(windows),
      outputs,
      planLater(windows.child)
    )

  /**
   * Found in the rows that have been brought together for the windows themselves: in one exchange.
   * Adaptive execution plans the node again when it has run some of it, and knows the subquery by
   * its id.
   */
  private def known(windows: GroupWindows): Option[Expression] =
    windows.known.orElse {
      windows.spec.ofAllGroups.map { function =>
        val rows = Together(windows.keys, windows.child)
        OptimizeGroupWindows.known(function, rows, windows.windowAttribute.exprId)
      }
    }
}

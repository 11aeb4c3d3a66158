package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.muntin.execution.anchored.{AnchoredWindowsExec, CheckedAnchorsExec}
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.spark.JoinOn

/** Plans the windows that another table says. */
object AnchoredWindowsStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case windows: AnchoredWindows if windows.due.isDefined =>
      AnchoredStreams(windows, planLater(windows.left), planLater(windows.right)) :: Nil
    case w: AnchoredWindows =>
      AnchoredWindowsExec(
        w.anchorKeys,
        w.sourceKeys,
        w.time,
        w.start,
        w.end,
        w.closed,
        w.functions,
        w.results,
        planLater(w.left),
        planLater(w.right)
      ) :: Nil
    case CheckedAnchors(keys, start, end, obsolete, child) =>
      CheckedAnchorsExec(keys, start, end, obsolete, planLater(child)) :: Nil
    case join @ JoinOn(_, _, _, Some(condition)) if condition.exists(_.isInstanceOf[WindowBy]) =>
      throw CheckAnchoredWindows.misplaced(join)
    case _ => Nil
  }
}

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.muntin.streaming.{LateRowsExec, StreamWindowsExec}

/** Plans the windows of streams. */
object StreamWindowsStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case windows: StreamWindows =>
      val job = StreamWindowsJob(windows)
      val rows = LateRows(job.name, job.time, windows.child)
      StreamWindowsExec.unplaced(job, planLater(rows)) :: Nil
    case LateRows(function, time, child, isShared) =>
      LateRowsExec(function, time, planLater(child), isShared = isShared) :: Nil
    case _ => Nil
  }
}

/**
 * Columns that nobody reads do not go into the state. The others are in the order of their names,
 * so that the state is the same however the query is written.
 */
object OptimizeStreamWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case p @ Project(list, w: StreamWindows) =>
      val needed = AttributeSet(list) ++ w.references
      val columns: Seq[NamedExpression] =
        w.child.output.filter(needed.contains).distinctBy(_.exprId).sortBy(_.name)
      if (columns == w.child.output) p
      else p.copy(child = w.copy(child = Project(columns, w.child)))
  }
}

package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  NamedExpression,
  SortOrder,
  WindowExpression,
  WindowFunctionType
}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.over.{MuntinWindowExec, OverPlan}
import org.apache.spark.sql.muntin.expressions.{Framed, Session, SessionNumber}
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.PythonOver
import org.apache.spark.sql.muntin.spark.LocalSession

/**
 * Plans Spark's Window node with Muntin's operator. Spark's own operator, below it and over the
 * same sort, runs the functions that Muntin does not run.
 */
case class OverStrategy(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(list, window @ PhysicalWindow(_, outputs, _, _, child)) =>
      val unread = child.output.size + outputs.size - list.size
      val kept = child.output.dropRight(unread) ++ outputs.map(_.toAttribute)
      if (unread < 1 || list != kept) Nil
      else apply(window).collect { case w: MuntinWindowExec => w.copy(unread = unread)(w.plan) }
    case PhysicalWindow(kind, outputs, partition, order, child) =>
      val (python, sql) = outputs.partition(PythonOver.in(_).nonEmpty)
      val planned =
        if (python.isEmpty && kind == WindowFunctionType.SQL) {
          inOrder(outputs, sql, partition, order, child)
        } else ofPython(python, outputs, partition, order, child)
      if (planned.isEmpty) SparkFallbacks.mark(plan, outputs, isEnabled)
      planned.toSeq
    case _ => Nil
  }

  private def inOrder(
      outputs: Seq[NamedExpression],
      sql: Seq[NamedExpression],
      partition: Seq[Expression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): Option[SparkPlan] = {
    val (ours, sparks) =
      sql.partition(output => isMuntins(output) || isEnabled && OverPlan.supports(output))
    OverPlan.of(ours).map { plan =>
      if (sparks.isEmpty) MuntinWindowExec(ours, partition, order, planLater(child))(plan)
      else {
        val below = ofSpark(sparks, partition, order, child)
        val both = MuntinWindowExec(ours, partition, order, below)(plan)
        // Restores the query's order of columns.
        ProjectExec(child.output ++ outputs.map(_.toAttribute), both)
      }
    }
  }

  private def ofSpark(
      outputs: Seq[NamedExpression],
      partition: Seq[Expression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): SparkPlan = {
    val window = WindowExec(outputs, partition, order, planLater(child))
    SparkFallbacks.mark(window, outputs, isEnabled)
    window
  }

  /** Plans windows with Python aggregates, above the window of the other functions. */
  private def ofPython(
      python: Seq[NamedExpression],
      outputs: Seq[NamedExpression],
      partition: Seq[Expression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): Option[SparkPlan] = {
    val ends = new PythonEnds(python, partition, order)
    val moving = python.flatMap(PythonOver.in).find(_.moving.isDefined)
    if (python.isEmpty) None
    else if (moving.isEmpty && (!isEnabled || ends.unsupported.isDefined)) None
    else {
      ends.unsupported.foreach(refused => throw notRunInPython(refused))
      val sql = outputs.filterNot(python.contains)
      val below =
        if (sql.isEmpty) planLater(child)
        else {
          inOrder(sql, sql, partition, order, child)
            .getOrElse(ofSpark(sql, partition, order, child))
        }
      Some(ProjectExec(child.output ++ outputs.map(_.toAttribute), ends.nodesOver(below)))
    }
  }

  private def notRunInPython(over: PythonOver): AnalysisException =
    new Arguments(over.moving.fold("OVER")(_.prettyName))
      .error("MUNTIN_UNSUPPORTED_PYTHON_WINDOW", "window" -> over.window.sql)

  private def isEnabled: Boolean = LocalSession.conf(session).getConf(MuntinConf.OverEnabled)

  /** Returns true if only Muntin's operator can run the function. */
  private def isMuntins(output: NamedExpression): Boolean = {
    val found = output.collectFirst {
      case f: Framed => f
      case s: Session => s
      case n: SessionNumber => n
    }
    found.filter(_ => !OverPlan.supports(output)).foreach(f => throw notRun(f, output))
    found.isDefined
  }

  private def notRun(function: Expression, output: NamedExpression): AnalysisException =
    new Arguments(function.prettyName).error(
      "MUNTIN_UNSUPPORTED_WINDOW",
      "window" -> output.collectFirst { case w: WindowExpression => w.sql }.getOrElse(function.sql)
    )
}

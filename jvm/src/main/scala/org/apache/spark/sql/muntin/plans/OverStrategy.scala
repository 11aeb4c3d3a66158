package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  NamedExpression,
  WindowExpression,
  WindowFunctionType
}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.over.{MuntinWindowExec, OverPlan}
import org.apache.spark.sql.muntin.expressions.{Framed, InvalidArgument, Session, SessionNumber}
import org.apache.spark.sql.muntin.spark.LocalSession

/**
 * Plans Spark's Window node with Muntin's operator. Functions that Muntin does not run stay in
 * Spark's own operator, beneath, over the same sort.
 */
case class OverStrategy(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.SQL, outputs, partition, order, child) =>
      val (ours, sparks) =
        outputs.partition(output => isMuntins(output) || isEnabled && isRun(output))
      if (ours.isEmpty) Nil
      else if (sparks.isEmpty) {
        MuntinWindowExec(ours, partition, order, planLater(child)) :: Nil
      } else {
        val below = WindowExec(sparks, partition, order, planLater(child))
        val both = MuntinWindowExec(ours, partition, order, below)
        // The columns in the order in which the query has them.
        ProjectExec(child.output ++ outputs.map(_.toAttribute), both) :: Nil
      }
    case _ => Nil
  }

  private def isEnabled: Boolean = LocalSession.conf(session).getConf(MuntinConf.OverEnabled)

  /** Whether no other operator can run the function. */
  private def isMuntins(output: NamedExpression): Boolean = {
    val found = output.collectFirst {
      case f: Framed => f
      case s: Session => s
      case n: SessionNumber => n
    }
    found.filter(_ => !isRun(output)).foreach(f => throw notRun(f, output))
    found.isDefined
  }

  private def notRun(function: Expression, output: NamedExpression): AnalysisException =
    InvalidArgument(
      function.prettyName,
      "agg",
      s"${output.collectFirst { case w: WindowExpression => w.sql }.getOrElse(function.sql)}, " +
        "which only Spark's own operator could run: its function is not deterministic, or its " +
        "RANGE offset is of a type that Muntin does not add"
    )

  private def isRun(output: NamedExpression): Boolean =
    OverPlan.of(Seq(output), SQLConf.get.sessionLocalTimeZone).isDefined
}

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.{NamedExpression, WindowFunctionType}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{SparkSession, Strategy}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.MuntinConf
import org.apache.spark.sql.muntin.execution.{MuntinWindowExec, OverPlan}

/**
 * Plans Spark's Window node with Muntin's operator. Functions that Muntin does not run stay in
 * Spark's own operator, beneath, over the same sort.
 */
case class OverStrategy(session: SparkSession) extends Strategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.SQL, outputs, partition, order, child) if isEnabled =>
      val (ours, sparks) = outputs.partition(isRun)
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

  private def isEnabled: Boolean = session.sessionState.conf.getConf(MuntinConf.OverEnabled)

  private def isRun(output: NamedExpression): Boolean =
    OverPlan.of(Seq(output), SQLConf.get.sessionLocalTimeZone).isDefined
}

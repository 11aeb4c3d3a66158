package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{NamedExpression, WindowExpression}
import org.apache.spark.sql.catalyst.trees.{TreeNode, TreeNodeTag}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.frames.FramePlan
import org.apache.spark.sql.muntin.execution.over.OverPlan
import org.apache.spark.sql.muntin.plans.logical.{InPython, PythonOver}

/**
 * The reasons why Spark's own operator runs window functions of a plan. Each reason is logged when
 * the window is planned, and attached to the plan, for EXPLAIN.
 */
object SparkFallbacks extends AdaptiveSparkPlanHelper with Logging {
  private val tag = TreeNodeTag[Seq[String]]("muntin.left.to.spark")

  private val NotRun = "Muntin does not run its function"
  private val NoFrame = "Muntin does not add the offset of its RANGE frame"

  /** Attaches the reasons to `node`, the window as Spark runs or plans it. */
  def mark(node: TreeNode[_], outputs: Seq[NamedExpression], isEnabled: Boolean): Unit =
    // Adaptive execution replans windows.
    if (node.getTagValue(tag).isEmpty) {
      val windows = outputs.flatMap(_.collect { case w: WindowExpression => w }).distinct
      val reasons = windows.flatMap { window =>
        why(window, isEnabled).map(reason => s"${toPrettySQL(window)}: $reason")
      }
      reasons.foreach(reason => logInfo(s"Spark runs $reason"))
      node.setTagValue(tag, reasons)
    }

  /** Returns the reasons of all windows of a plan, each with the window function. */
  def reasons(plan: SparkPlan): Seq[String] = collectWithSubqueries(plan) {
    case node => node.getTagValue(tag) ++ node.logicalLink.flatMap(_.getTagValue(tag))
  }.flatten.flatten.distinct

  private def why(window: WindowExpression, isEnabled: Boolean): Option[String] =
    if (!isEnabled) Some(s"`${MuntinConf.OverEnabled.key}` is `false`")
    else {
      InPython.unapply(window) match {
        case Some(over) => Some(whyInPython(over))
        case None => whyNotRun(window)
      }
    }

  private def whyNotRun(window: WindowExpression): Option[String] =
    if (OverPlan.supports(window)) None
    else if (!window.windowFunction.deterministic) Some("its function is not deterministic")
    else if (FramePlan.of(window).isEmpty) Some(NoFrame)
    else Some(NotRun)

  private def whyInPython(over: PythonOver): String =
    if (over.python.hasFrames) "its function in Python takes or returns a pandas DataFrame"
    else if (FramePlan.of(over.window).isEmpty) NoFrame
    else NotRun
}

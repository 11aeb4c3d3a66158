package org.apache.spark.sql.muntin.plans.checks

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.muntin.errors.ErrorConditions

/**
 * Warns of frames that Spark accepts, but that rarely mean what the user intended. It warns once
 * for each window of a query, even if many DataFrames are derived from it.
 */
private[plans] abstract class FrameWarning(condition: String)
    extends (LogicalPlan => Unit)
    with Logging {
  private val warned = TreeNodeTag[Boolean](s"muntin.warned.$condition")

  /** Returns the parameters of the warnings for the frames in an expression. */
  protected def warnings(expression: Expression): Seq[Map[String, String]]

  override def apply(plan: LogicalPlan): Unit = plan.foreach { node =>
    if (node.getTagValue(warned).isEmpty) {
      val found = node.expressions.flatMap(warnings).distinct
      if (found.nonEmpty) node.setTagValue(warned, true)
      found.foreach(parameters => logWarning(ErrorConditions(condition).message(parameters)))
    }
  }
}

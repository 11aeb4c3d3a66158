package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The child's rows, with rows of equal keys in one task. It reads every column of its child, so
 * that the optimizer does not change the child, and the query can reuse one exchange.
 */
final case class ClusteredByKeys(keys: Seq[Attribute], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override lazy val references: AttributeSet = child.outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): ClusteredByKeys =
    copy(child = newChild)
}

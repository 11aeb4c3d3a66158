package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The same rows, those of equal keys in one place. It asks for every column of its child, so that
 * what is below it stays what it is elsewhere in the query, and one exchange serves both.
 */
final case class Together(keys: Seq[Attribute], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override lazy val references: AttributeSet = child.outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): Together =
    copy(child = newChild)
}

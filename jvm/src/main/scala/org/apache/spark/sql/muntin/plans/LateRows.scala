package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** The rows of a stream without those that are late, before they are brought together for an operator with state. */
final case class LateRows(function: String, time: Attribute, child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LateRows =
    copy(child = newChild)
}

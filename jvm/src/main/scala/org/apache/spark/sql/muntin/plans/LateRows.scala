package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The rows of a stream without those that are late, before they are brought together for an
 * operator with state.
 *
 * @param isShared
 *   they are read once more when they have been brought together
 */
final case class LateRows(
    function: String,
    time: Attribute,
    child: LogicalPlan,
    isShared: Boolean = false
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LateRows =
    copy(child = newChild)
}

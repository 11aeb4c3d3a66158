package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The rows of a stream without the late rows, before they are exchanged for a stateful operator.
 *
 * @param isShared
 *   whether the rows are read once more behind the exchange
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

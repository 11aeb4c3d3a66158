package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The rows of a stream without the late rows, before they are exchanged for a stateful operator.
 *
 * @param isExchanged
 *   whether there is an exchange above even where rows lie in the right tasks already
 * @param isTold
 *   whether the operator uses the bound of upstream windows: then no row is late
 */
final case class LateRows(
    function: String,
    time: Attribute,
    child: LogicalPlan,
    isExchanged: Boolean,
    isTold: Boolean
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LateRows =
    copy(child = newChild)
}

package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.StreamClock

/**
 * The rows of a stream without the late rows, before they are exchanged for a stateful operator.
 * The operator's clock determines which rows are late.
 *
 * @param isExchanged
 *   true if there is an exchange above even if the rows are already in the right tasks
 */
final case class LateRows(
    function: String,
    time: Attribute,
    clock: StreamClock,
    child: LogicalPlan,
    isExchanged: Boolean
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LateRows =
    copy(child = newChild)
}

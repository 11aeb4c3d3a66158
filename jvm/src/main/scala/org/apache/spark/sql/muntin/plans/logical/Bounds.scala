package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.StreamClock

/**
 * The rows of a stream without its bounds, the rows for which `condition` is true. It is no Filter:
 * Spark would move a Filter below the watermark, which bounds have to move on.
 *
 * @param times
 *   for each operator above, the expression of a bound's time; found when the operators are planned
 * @param delays
 *   by how much each of these times is to be taken back
 * @param clocks
 *   the clock of each of these operators
 */
final case class Bounds(
    condition: Expression,
    child: LogicalPlan,
    times: Seq[Expression] = Nil,
    delays: Seq[Long] = Nil,
    clocks: Seq[StreamClock] = Nil
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): Bounds =
    copy(child = newChild)
}

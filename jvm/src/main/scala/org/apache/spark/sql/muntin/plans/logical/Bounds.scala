package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.StreamClock

/**
 * The rows of a stream without its bounds, which are the rows for which `condition` is true. It is
 * not a Filter, because Spark would move a Filter below the watermark, and bounds must advance the
 * watermark.
 *
 * @param times
 *   for each downstream operator, the expression that computes the bound's event time; set when the
 *   operators are planned
 * @param delays
 *   the delay to subtract from each of these times
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

package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The rows of a stream without its bounds, the rows for which `condition` is true. It is no Filter:
 * Spark would move a Filter below the watermark, which bounds have to move on.
 *
 * @param times
 *   what the time of a bound is to operators above, by the ids that they are told it by; found when
 *   the operators are planned
 * @param delays
 *   by how much each of these times is to be taken back
 */
final case class Bounds(
    condition: Expression,
    child: LogicalPlan,
    times: Seq[NamedExpression] = Nil,
    delays: Seq[Long] = Nil
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): Bounds =
    copy(child = newChild)
}

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftExistence}
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.GroupWindow

/**
 * A join with asof: for each row of `left` the row of `right` whose keys are equal and whose time
 * is before or after, no farther than `start` and `end` where they are there. A row of `left` for
 * which one of `onLeft` is not true has none. `strict`: a row at the very time is none; `open`: nor
 * is one at the very `start` or `end`.
 */
private[plans] final case class AsOfRows(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    leftTime: Expression,
    rightTime: Expression,
    start: Option[Expression],
    end: Option[Expression],
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    onLeft: Seq[Expression],
    direction: String,
    strict: Boolean,
    open: Boolean = false
) extends BinaryNode {
  override def output: Seq[Attribute] = joinType match {
    case LeftExistence(_) => left.output
    case Inner => left.output ++ right.output
    case _ => left.output ++ right.output.map(_.withNullability(true))
  }

  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): AsOfRows = copy(left = newLeft, right = newRight)
}

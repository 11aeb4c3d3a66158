package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, Filter, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.execution.anchored.AnchorBounds
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, GroupWindow}
import org.apache.spark.sql.muntin.streaming.AnchorTimes

/**
 * For each row of `left` (the anchors): the `results` of the functions over the rows of `right`
 * (the source) that are within the anchor's `bounds`, and whose keys equal the anchor's. `right`
 * has no rows whose time or key is null. `onStream` has the anchors' times if the source is a
 * stream, and `revision` is the requested column for the result that a row revises.
 */
final case class AnchoredWindows(
    anchorKeys: Seq[Attribute],
    sourceKeys: Seq[Attribute],
    bounds: AnchorBounds,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    left: LogicalPlan,
    right: LogicalPlan,
    onStream: Option[AnchorTimes] = None,
    revision: Option[Attribute] = None
) extends BinaryNode
    with AggregateWindows {
  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def output: Seq[Attribute] = left.output ++ results ++ revision

  override def producedAttributes: AttributeSet = AttributeSet(results ++ revision)

  override def maxRows: Option[Long] = left.maxRows

  /** An output column that identifies this node to downstream operators. */
  def id: Option[ExprId] = results.headOption.map(_.exprId)

  override def only(functions: Seq[GroupAggregate], results: Seq[Attribute]): AnchoredWindows =
    copy(functions = functions, results = results)

  // On a stream every anchor's `obsolete` counts, so no anchor is filtered out.
  override def filtered: AttributeSet =
    if (onStream.exists(_.obsolete.isDefined)) AttributeSet.empty else left.outputSet

  override def where(condition: Expression): AnchoredWindows =
    copy(left = Filter(condition, left))

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): AnchoredWindows = copy(left = newLeft, right = newRight)
}

/**
 * The child's rows, which are anchors. Fails if an anchor's window begins before the `obsolete` of
 * an earlier anchor in `order`.
 */
final case class CheckedAnchors(
    keys: Seq[Attribute],
    order: Attribute,
    start: Attribute,
    end: Attribute,
    obsolete: Attribute,
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override def maxRows: Option[Long] = child.maxRows

  override protected def withNewChildInternal(newChild: LogicalPlan): CheckedAnchors =
    copy(child = newChild)
}

package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, Filter, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.{GroupAggregate, GroupWindow}

/**
 * For each row of `left` (the anchors): the `results` of the functions over those rows of `right`
 * (the source) whose `time` lies between the anchor's `start` and `end`, and whose keys equal the
 * anchor's. `right` has no rows whose `time` or key is null.
 *
 * Over a stream `due` is the anchor's row time, no earlier than its `end`; `obsolete`, a time that
 * no later anchor's window begins before; `promised`, the anchor's own time, by which anchors are
 * earlier and later (if it is not `due`); `delay`, how long after the time with the watermark
 * an anchor has its result, in microseconds; `isOrdered`, whether results are emitted in the order
 * of `promised`; `anchorTime`, the anchors' time with the watermark, if upstream windows may hold
 * back the time of a side; and `revision`, the requested column for the result that a row revises.
 */
final case class AnchoredWindows(
    anchorKeys: Seq[Attribute],
    sourceKeys: Seq[Attribute],
    time: Attribute,
    start: Attribute,
    end: Attribute,
    closed: String,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    left: LogicalPlan,
    right: LogicalPlan,
    due: Option[Attribute] = None,
    obsolete: Option[Attribute] = None,
    promised: Option[Attribute] = None,
    delay: Option[Long] = None,
    isOrdered: Boolean = false,
    anchorTime: Option[Attribute] = None,
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

  // On a stream every anchor's promise is heard.
  override def filtered: AttributeSet =
    if (obsolete.isEmpty) left.outputSet else AttributeSet.empty

  override def where(condition: Expression): AnchoredWindows =
    copy(left = Filter(condition, left))

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): AnchoredWindows = copy(left = newLeft, right = newRight)
}

/**
 * The child's rows, which are anchors; fails where an anchor's window begins before the `obsolete`
 * of an earlier anchor, by `order`.
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

package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.execution.anchored.AnchorBounds
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, GroupWindow}
import org.apache.spark.sql.muntin.spark.StatefulNode
import org.apache.spark.sql.muntin.streaming.{AnchorTimes, AnchoredJob}

/**
 * Windows of anchors over one stream, in the order `group`. The child has the rows of both sides;
 * `side` names the side of a row (AnchoredJob). The output has the columns `anchors` and the
 * `results` of the functions, and `revision`, the requested column for the result that a row
 * revises.
 */
final case class SelfAnchoredWindows(
    keys: Seq[Attribute],
    side: Attribute,
    bounds: AnchorBounds,
    times: AnchorTimes,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    anchors: Seq[Attribute],
    child: LogicalPlan,
    revision: Option[Attribute] = None
) extends UnaryNode
    with AggregateWindows
    with StatefulNode {
  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def output: Seq[Attribute] = anchors ++ results ++ revision

  override def producedAttributes: AttributeSet = AttributeSet(results ++ revision)

  override protected def hasState: Boolean = child.isStreaming

  /** The computation of this node. It is planned on first use. */
  @transient lazy val job: AnchoredJob = AnchoredJob(
    keys,
    side,
    bounds,
    times,
    functions,
    results,
    anchors,
    child.output,
    revision
  )

  override def only(functions: Seq[GroupAggregate], results: Seq[Attribute]): SelfAnchoredWindows =
    copy(functions = functions, results = results)

  // The `obsolete` of every anchor counts, so no anchor is filtered out.
  override def filtered: AttributeSet =
    if (times.obsolete.isDefined) AttributeSet.empty else AttributeSet(anchors)

  override def where(condition: Expression): SelfAnchoredWindows = {
    val ofSource = EqualTo(side, Literal(AnchoredJob.Source))
    copy(child = Filter(Or(ofSource, condition), child))
  }

  override protected def withNewChildInternal(newChild: LogicalPlan): SelfAnchoredWindows =
    copy(child = newChild)
}

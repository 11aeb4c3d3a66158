package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.GroupWindow
import org.apache.spark.sql.muntin.streaming.OverJob

/**
 * Window functions over a stream. (Spark's own Window node is not allowed over a stream.) Each of
 * `functions` holds one StreamFunction or more; `results` are their columns. `revision` is the
 * column that says which result a row revises, if a query asks for it.
 */
final case class StreamWindows(
    functions: Seq[Expression],
    results: Seq[Attribute],
    partitionSpec: Seq[Attribute],
    orderSpec: Seq[SortOrder],
    child: LogicalPlan,
    revision: Option[Attribute] = None
) extends UnaryNode {
  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def output: Seq[Attribute] = child.output ++ results ++ revision

  override def producedAttributes: AttributeSet = AttributeSet(results ++ revision)

  /** What the node computes. It is planned at the first request; the node has to be resolved. */
  @transient lazy val job: OverJob = StreamWindowsJob(this)

  @transient override lazy val references: AttributeSet =
    AttributeSet(functions ++ partitionSpec ++ orderSpec) -- producedAttributes

  override protected def withNewChildInternal(newChild: LogicalPlan): StreamWindows =
    copy(child = newChild)
}

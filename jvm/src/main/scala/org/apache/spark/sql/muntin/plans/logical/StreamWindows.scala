package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.spark.StatefulNode
import org.apache.spark.sql.muntin.streaming.{GroupTtl, OverJob}

/**
 * Window functions over a stream, where Spark does not allow its own Window node. Each of
 * `functions` has at least one StreamFunction; `results` are their columns. `revision` is the
 * requested column for the result that a row revises. `ttl` is how long a group lives without a
 * row.
 */
final case class StreamWindows(
    functions: Seq[Expression],
    results: Seq[Attribute],
    partitionSpec: Seq[Attribute],
    orderSpec: Seq[SortOrder],
    child: LogicalPlan,
    revision: Option[Attribute] = None,
    ttl: Option[GroupTtl] = None
) extends UnaryNode
    with StatefulNode {
  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def output: Seq[Attribute] = child.output ++ results ++ revision

  override def producedAttributes: AttributeSet = AttributeSet(results ++ revision)

  // Spark makes all columns of stateful nodes nullable, which is not needed in other orders:
  // real-time mode requires this one.
  override protected def hasState: Boolean = child.isStreaming && MuntinConf.isByGroup(SQLConf.get)

  /** The computation of this node. It is planned on first use; the node must be resolved. */
  @transient lazy val job: OverJob = StreamWindowsJob(this)

  @transient override lazy val references: AttributeSet =
    AttributeSet(functions ++ partitionSpec ++ orderSpec) -- producedAttributes

  override protected def withNewChildInternal(newChild: LogicalPlan): StreamWindows =
    copy(child = newChild)
}

package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.StreamTimes

/** The rows of `pending`, while its streaming query is being resolved. */
final case class UnresolvedPending(checkpoint: String, batch: Option[Long], child: LogicalPlan)
    extends UnaryNode {
  // The node is not a stream: its times have no watermark.
  override def output: Seq[Attribute] =
    child.output.map(a => a.withMetadata(StreamTimes.withoutMark(a.metadata)))

  override protected def withNewChildInternal(newChild: LogicalPlan): UnresolvedPending =
    copy(child = newChild)
}

/**
 * The open results in a checkpoint of `query`, after this micro-batch or the last. The node is a
 * table and not a stream. The query is not a child, because Spark does not run a stream in a batch.
 */
final case class PendingWindows(
    query: LogicalPlan,
    checkpoint: String,
    batch: Option[Long],
    output: Seq[Attribute]
) extends CheckpointNode {
  override def newInstance(): PendingWindows = copy(output = output.map(_.newInstance()))

  override def innerChildren: Seq[QueryPlan[_]] = Seq(query)

  override def simpleString(maxFields: Int): String =
    s"PendingWindows $checkpoint ${output.mkString("[", ", ", "]")}"
}

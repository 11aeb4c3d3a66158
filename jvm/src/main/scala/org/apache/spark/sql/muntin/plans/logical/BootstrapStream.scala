package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.types.{LongType, StringType, TimestampType}

/** The table function bootstrap, while its tables are being resolved. */
final case class UnresolvedBootstrap(
    query: LogicalPlan,
    history: LogicalPlan,
    checkpoint: String,
    output: Seq[Attribute] = BootstrapStream.columns
) extends BinaryNode {
  override def left: LogicalPlan = query

  override def right: LogicalPlan = history

  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): UnresolvedBootstrap = copy(query = newLeft, history = newRight)
}

/**
 * Makes a checkpoint of `query` from the rows of `history` when its row is read. The plans are not
 * children, because Spark does not run a stream in a batch.
 */
final case class BootstrapStream(
    query: LogicalPlan,
    history: LogicalPlan,
    checkpoint: String,
    output: Seq[Attribute]
) extends LeafNode
    with MultiInstanceRelation {
  override def newInstance(): BootstrapStream = copy(output = output.map(_.newInstance()))

  override def innerChildren: Seq[QueryPlan[_]] = Seq(query, history)

  override def computeStats(): Statistics = Statistics(conf.defaultSizeInBytes)

  override def simpleString(maxFields: Int): String = s"BootstrapStream $checkpoint"
}

object BootstrapStream {
  private[logical] def columns: Seq[Attribute] = Seq(
    AttributeReference("results", StringType, nullable = false)(),
    AttributeReference("rows", LongType, nullable = false)(),
    AttributeReference("watermark", TimestampType)()
  )
}

package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{LongType, StringType, TimestampType}

/** The table function bootstrap, while its query and its histories are being resolved. */
final case class UnresolvedBootstrap(
    tables: Seq[LogicalPlan],
    checkpoint: String,
    after: Option[String],
    output: Seq[Attribute] = BootstrapStream.columns
) extends LogicalPlan {
  override def children: Seq[LogicalPlan] = tables

  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildrenInternal(
      newTables: IndexedSeq[LogicalPlan]
  ): UnresolvedBootstrap = copy(tables = newTables)
}

/**
 * Makes a checkpoint of `query` from the rows of `histories` when its row is read. The plans are
 * not children, because Spark does not run a stream in a batch.
 */
final case class BootstrapStream(
    query: LogicalPlan,
    histories: Seq[LogicalPlan],
    checkpoint: String,
    after: Option[String],
    output: Seq[Attribute]
) extends CheckpointNode {
  override def newInstance(): BootstrapStream = copy(output = output.map(_.newInstance()))

  override def innerChildren: Seq[QueryPlan[_]] = query +: histories

  override def simpleString(maxFields: Int): String = s"BootstrapStream $checkpoint"
}

object BootstrapStream {
  private[logical] def columns: Seq[Attribute] = Seq(
    AttributeReference("results", StringType, nullable = false)(),
    AttributeReference("rows", LongType, nullable = false)(),
    AttributeReference("watermark", TimestampType)()
  )
}

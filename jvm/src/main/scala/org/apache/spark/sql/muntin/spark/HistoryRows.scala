package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}
import org.apache.spark.sql.execution.SparkPlan

/**
 * The rows of a table, which replace a stream's source. `planOf` plans the columns that the query
 * reads; the table is not a child, so its own windows run as in a batch.
 */
final case class HistoryRows(output: Seq[Attribute])(val planOf: Seq[Attribute] => SparkPlan)
    extends LeafNode {
  override def isStreaming: Boolean = true

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(planOf)

  override def computeStats(): Statistics = Statistics(conf.defaultSizeInBytes)
}

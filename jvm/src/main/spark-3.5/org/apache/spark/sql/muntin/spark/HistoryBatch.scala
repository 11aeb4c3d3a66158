package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The first micro-batch of a new checkpoint: not supported on Spark 3.5. */
final class HistoryBatch(
    starting: SparkSession,
    query: LogicalPlan,
    histories: Seq[LogicalPlan],
    checkpoint: String,
    after: Option[StoredCheckpoint]
) {
  require(Seq(starting, query, histories, checkpoint, after).forall(_ != null))

  def isFree: Boolean = Streams.unsupported

  def sources: Seq[LogicalPlan] = Streams.unsupported

  def sourceColumns: Seq[Seq[Attribute]] = Streams.unsupported

  def watermark: Long = Streams.unsupported

  def otherOperator: Option[String] = Streams.unsupported

  def run(results: String): Long = Streams.unsupported

  def orDelete[T](body: => T): T = Streams.unsupported
}

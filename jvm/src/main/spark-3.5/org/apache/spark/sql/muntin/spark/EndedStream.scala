package org.apache.spark.sql.muntin.spark

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The micro-batch that would follow the last one of a checkpoint if the stream ended there. */
final class EndedStream private () {
  def otherOperator: Option[String] = Streams.unsupported

  def difference: Option[QueryDifference] = Streams.unsupported

  def rows: RDD[InternalRow] = Streams.unsupported
}

object EndedStream {
  def apply(
      session: SparkSession,
      query: LogicalPlan,
      before: CommittedBatch,
      settings: Seq[String]
  ): EndedStream = Streams.unsupported
}

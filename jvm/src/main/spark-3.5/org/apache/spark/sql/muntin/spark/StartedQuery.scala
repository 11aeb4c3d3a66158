package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A query that is about to start with a checkpoint. */
final class StartedQuery private () {
  def storedWindows(name: String): Seq[String] = Streams.unsupported

  def difference: Option[QueryDifference] = Streams.unsupported
}

object StartedQuery {
  def apply(
      session: SparkSession,
      query: LogicalPlan,
      isUpdate: Boolean,
      before: CommittedBatch
  ): StartedQuery = Streams.unsupported
}

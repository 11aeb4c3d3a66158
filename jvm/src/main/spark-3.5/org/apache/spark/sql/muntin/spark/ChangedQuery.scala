package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A query that is planned as the next micro-batch of a checkpoint: not supported on Spark 3.5. */
final class ChangedQuery(query: LogicalPlan, from: StoredCheckpoint, isUpdate: Boolean) {
  require(query != null && from != null && (isUpdate || !isUpdate))

  def operators: Seq[StatefulExec] = Streams.unsupported

  def operatorsOfSpark: Seq[(Long, String)] = Streams.unsupported

  def sources: Int = Streams.unsupported

  def planned(columns: Seq[Attribute], functions: Seq[String]): Option[StatefulExec] =
    Streams.unsupported

  def plannedGroups(
      columns: Seq[Attribute],
      keys: Seq[String],
      window: Expression,
      functions: Seq[String]
  ): Option[StatefulExec] = Streams.unsupported

  def columnsBelow(column: Attribute): Seq[Attribute] = Streams.unsupported

  def definition(column: Attribute): Option[Expression] = Streams.unsupported

  def writeMetadata(checkpoint: String): Unit = Streams.unsupported
}

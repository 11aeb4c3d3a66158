package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.Pending
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.UnresolvedPending

/**
 * The table function pending. Returns a node over the streaming query, until the query is analyzed.
 */
object PendingTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Pending.name)
    val values = Pending.inOrder(arguments)
    val (query, checkpoint, batch) = (values(0), values(1), values(2))
    val folder = read.path("checkpoint", checkpoint, "the path of a checkpoint")
    val tables = new TableArguments(read, None, PartialFunction.empty)
    val number = read.expression(batch).map(read.wholeNumber("batch_id", _))
    UnresolvedPending(folder, number, tables.table("query", query))
  }
}

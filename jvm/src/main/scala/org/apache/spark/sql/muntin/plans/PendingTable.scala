package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.{Arguments, Pending}
import org.apache.spark.sql.muntin.spark.TableArgument

/** The table function pending: a node over the streaming query, until the query is analyzed. */
object PendingTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Pending.name)
    val values = Pending.inOrder(arguments)
    val (query, checkpoint) = (values(0), values(1))
    val folder = read.text("checkpoint", checkpoint).filter(_.trim.nonEmpty).getOrElse {
      throw read.invalid("checkpoint", s"${checkpoint.sql}; expected is the path of a checkpoint")
    }
    query match {
      case TableArgument(_, true) =>
        throw read.invalid("query", "a TABLE with a partitioning of its own; leave it out")
      case TableArgument(table, _) => PendingOf(folder, table)
      case other => throw read.invalid("query", s"${other.sql}; expected is TABLE(…)")
    }
  }
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.Repartition
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.RepartitionCheckpoint

/** The table function repartition. */
object RepartitionTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Repartition.name)
    val values = Repartition.inOrder(arguments)
    def folder(parameter: String, argument: Expression): String =
      read.path(parameter, argument, "the path of a folder")
    RepartitionCheckpoint(
      folder("checkpoint", values(0)),
      read.positive("partitions", values(1)),
      folder("to", values(2))
    )
  }
}

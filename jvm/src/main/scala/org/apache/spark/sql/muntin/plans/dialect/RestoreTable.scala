package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.Restore
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.RestoreCheckpoint

/** The table function restore. */
object RestoreTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Restore.name)
    val values = Restore.inOrder(arguments)
    def folder(parameter: String, argument: Expression): String =
      read.path(parameter, argument, "the path of a folder")
    RestoreCheckpoint(
      folder("checkpoint", values(0)),
      folder("to", values(1)),
      read.expression(values(2)).map(read.wholeNumber("batch_id", _))
    )
  }
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.State
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.CheckpointState

/** The table function state. */
object StateTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(State.name)
    val values = State.inOrder(arguments)
    CheckpointState(
      read.path("checkpoint", values(0), "the path of a checkpoint"),
      read.expression(values(1)).map(read.wholeNumber("batch_id", _))
    )
  }
}

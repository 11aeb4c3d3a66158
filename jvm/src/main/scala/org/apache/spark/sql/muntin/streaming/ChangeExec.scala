package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.rows.CommandExec
import org.apache.spark.unsafe.types.UTF8String

/**
 * Emits a row for each window function of a checkpoint and of a changed query: whether the query
 * can continue it. Also copies the checkpoint, with the state of the changed query, if the request
 * has a folder for the copy. If the copy fails, it deletes the folder.
 */
case class ChangeExec(
    @transient query: LogicalPlan,
    request: ChangeRequest,
    output: Seq[Attribute]
) extends CommandExec {
  override def nodeName: String = "MuntinChange"

  override protected def compute(): Seq[InternalRow] = {
    val change = new CheckpointChange(session, query, request)
    if (request.to.isDefined) change.copy()
    change.windows.map(row)
  }

  private def row(change: WindowChange): InternalRow = {
    def text(value: Option[String]) = value.map(UTF8String.fromString).orNull
    InternalRow(
      change.operator.fold[Any](null)(_.toInt),
      UTF8String.fromString(change.window),
      text(change.function),
      UTF8String.fromString(change.action.text),
      text(change.reason)
    )
  }

  override def simpleString(maxFields: Int): String = s"$nodeName $request"
}

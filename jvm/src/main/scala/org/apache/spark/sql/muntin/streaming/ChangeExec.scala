package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.unsafe.types.UTF8String

/**
 * Emits a row for each window function of a checkpoint and of a changed query: whether the query
 * can continue it. With `to`, also copies the checkpoint to this folder, with the state of the
 * changed query. If the copy fails, it deletes the folder.
 */
case class ChangeExec(
    @transient query: LogicalPlan,
    checkpoint: String,
    to: Option[String],
    allowsIncomplete: Boolean,
    output: Seq[Attribute]
) extends LeafExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def nodeName: String = "MuntinChange"

  // It is executed once.
  override protected def doCanonicalize(): ChangeExec = this

  private lazy val windows: Seq[InternalRow] = {
    val change = new CheckpointChange(session, query, checkpoint, None)
    to.foreach(change.copyTo(_, allowsIncomplete))
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

  override protected def doExecute(): RDD[InternalRow] = {
    val unsafe = UnsafeProjection.create(output.map(_.dataType).toArray)
    val rows: Seq[InternalRow] = windows.map(unsafe(_).copy())
    longMetric(OperatorMetrics.OutputRows) += rows.size.toLong
    sparkContext.parallelize(rows, 1)
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${(checkpoint +: to.toSeq).mkString(", ")}"
}

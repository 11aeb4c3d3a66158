package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Of a table of anchors those that come due in a micro-batch: no earlier one has had them, and they wait for nothing.
 * So each of them comes once, and the state holds none.
 */
case class DueAnchorsExec(due: Attribute, child: SparkPlan) extends UnaryExecNode {
  @transient private var after: Option[Long] = None
  @transient private var until: Option[Long] = None

  /** Those after the time that the micro-batch before has come to, if there was one, and up to this one's. */
  def tell(after: Option[Long], until: Option[Long]): Unit = {
    this.after = after
    this.until = until
  }

  override def nodeName: String = "MuntinDueAnchors"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val from = after.fold(Long.MinValue)(_ + 1L)
    val to = until.getOrElse(Long.MinValue)
    val ordinal = child.output.indexWhere(_.exprId == due.exprId)
    child.execute().mapPartitionsInternal { rows =>
      rows.filter { row =>
        // One without an end is an error, as in a batch.
        row.isNullAt(ordinal) || (row.getLong(ordinal) >= from && row.getLong(ordinal) <= to)
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): DueAnchorsExec =
    copy(child = newChild)
}

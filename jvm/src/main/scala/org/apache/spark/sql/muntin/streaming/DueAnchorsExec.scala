package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Of a table of anchors those that come due in a micro-batch: no earlier one has had them, and they
 * wait for nothing. So each of them comes once, and the state holds none.
 *
 * @param batch
 *   says which times come due; None until the micro-batch is planned, as in LateRowsExec
 */
case class DueAnchorsExec(due: Attribute, child: SparkPlan, batch: Option[BatchTime] = None)
    extends UnaryExecNode {
  private[streaming] def knowing(batch: BatchTime): DueAnchorsExec = {
    val made = copy(batch = Some(batch))
    made.copyTagsFrom(this)
    made
  }

  /** Those of the first time and later, up to and with the second one. */
  private[streaming] def times: Option[(Long, Long)] = batch.map { known =>
    // What came due before the first micro-batch comes with it.
    val from = known.get.late.filterNot(_ => known.isFirst).fold(Long.MinValue)(_ + 1L)
    (from, known.get.watermark.getOrElse(Long.MinValue))
  }

  override def nodeName: String = "MuntinDueAnchors"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val (from, to) = times.getOrElse(StreamTimes.unknown(this))
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

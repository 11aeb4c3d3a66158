package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * Emits the anchors of a table that become due in a micro-batch. No earlier micro-batch had them,
 * and none of them is buffered: each anchor arrives once, and the state holds no anchor.
 */
case class DueAnchorsExec(due: Attribute, child: SparkPlan, clock: StreamClock)
    extends UnaryExecNode {

  /**
   * Returns the range of due times: anchors become due from the first time on, and before the
   * second.
   */
  private[streaming] def times: (Long, Long) = {
    val time = clock.time(this)
    // Anchors due before the first micro-batch arrive with it.
    val from = time.lateBelow.filterNot(_ => time.isFirst).getOrElse(Long.MinValue)
    (from, time.bound.getOrElse(Long.MinValue))
  }

  override def nodeName: String = "MuntinDueAnchors"

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override protected def stringArgs: Iterator[Any] = Iterator(due)

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val (from, until) = times
    val ordinal = child.output.indexWhere(_.exprId == due.exprId)
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    child.execute().mapPartitionsInternal { rows =>
      rows.filter { row =>
        // An anchor without an end is an error, as in a batch.
        val isDue =
          row.isNullAt(ordinal) || (row.getLong(ordinal) >= from && row.getLong(ordinal) < until)
        if (isDue) outputRows += 1L
        isDue
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): DueAnchorsExec =
    copy(child = newChild)
}

package org.apache.spark.sql.muntin.streaming

import java.util

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * Counts the rows with each start in each task, so that one task can count the rows of all groups.
 */
case class StartCountsExec(start: Attribute, count: Attribute, child: SparkPlan)
    extends UnaryExecNode {
  override def nodeName: String = "MuntinStartCounts"

  override def output: Seq[Attribute] = Seq(start, count)

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override protected def doExecute(): RDD[InternalRow] = {
    val ordinal = child.output.indexWhere(_.exprId == start.exprId)
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    child.execute().mapPartitionsInternal(new StartCounts(_, ordinal).map { row =>
      outputRows += 1L
      row
    })
  }

  override protected def withNewChildInternal(newChild: SparkPlan): StartCountsExec =
    copy(child = newChild)
}

/** Counts a limited number of rows at a time, so that memory is bounded; the row is reused. */
private[streaming] final class StartCounts(rows: Iterator[InternalRow], ordinal: Int)
    extends Iterator[InternalRow] {
  private val starts = new Array[Long](StartCounts.Rows)
  private var count = 0
  private var at = 0
  private val row = UnsafeRow.createFromByteArray(24, 2)

  override def hasNext: Boolean = at < count || fill()

  private def fill(): Boolean = {
    count = 0
    at = 0
    while (count < StartCounts.Rows && rows.hasNext) {
      starts(count) = rows.next().getLong(ordinal)
      count += 1
    }
    util.Arrays.sort(starts, 0, count)
    count > 0
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val from = at
    while (at < count && starts(at) == starts(from)) at += 1
    row.setLong(0, starts(from))
    row.setLong(1, (at - from).toLong)
    row
  }
}

private[streaming] object StartCounts {
  val Rows: Int = 1 << 14
}

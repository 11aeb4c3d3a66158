package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{FilterExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/**
 * Returns the rows of column batches for which a condition is true: a FilterExec that builds no
 * rows.
 */
case class FilteredColumnsExec(condition: Expression, child: SparkPlan)
    extends UnaryExecNode
    with AcceptsColumnarInput {
  override def nodeName: String = "MuntinFilter"

  override def output: Seq[Attribute] = FilterExec(condition, child).output

  override def supportsColumnar: Boolean = true

  override def overRows: SparkPlan = FilterExec(condition, AcceptsColumnarInput.rows(child))

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val (holds, input) = (condition, child.output)
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    child.executeColumnar().mapPartitionsInternal { batches =>
      val filter = new BatchFilter(holds, input)
      batches.map { batch =>
        val filtered = filter(batch)
        outputRows += filtered.numRows
        filtered
      }
    }
  }

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException(s"$nodeName does not emit rows")

  override protected def withNewChildInternal(newChild: SparkPlan): FilteredColumnsExec =
    copy(child = newChild)
}

object FilteredColumnsExec {

  /** Returns true if rows of these columns can be filtered within their batches. */
  def supports(condition: Expression, columns: Seq[Attribute]): Boolean =
    condition.deterministic && columns.forall(c => SelectedColumn.supports(c.dataType))
}

/** A filtered batch is valid until the next: its columns read the batch's columns. */
private final class BatchFilter(condition: Expression, input: Seq[Attribute]) {
  private val predicate = Predicate.create(condition, input)
  private var rows = Array.emptyIntArray

  def apply(batch: ColumnarBatch): ColumnarBatch = {
    if (rows.length < batch.numRows) rows = new Array[Int](batch.numRows)
    var count = 0
    var i = 0
    while (i < batch.numRows) {
      if (predicate.eval(batch.getRow(i))) {
        rows(count) = i
        count += 1
      }
      i += 1
    }
    if (count == batch.numRows) batch
    else {
      val selected = Array.tabulate[ColumnVector](batch.numCols) { c =>
        new SelectedColumn(batch.column(c), rows, count)
      }
      new ColumnarBatch(selected, count)
    }
  }
}

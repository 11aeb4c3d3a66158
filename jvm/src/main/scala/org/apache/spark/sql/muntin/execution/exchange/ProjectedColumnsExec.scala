package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Returns some columns of column batches, in some order, and values computed from them: a
 * ProjectExec that builds no rows.
 */
case class ProjectedColumnsExec(columns: Seq[NamedExpression], child: SparkPlan)
    extends UnaryExecNode
    with AcceptsColumnarInput {
  override def nodeName: String = "MuntinColumns"

  override def output: Seq[Attribute] = columns.map(_.toAttribute)

  override def supportsColumnar: Boolean = true

  override def overRows: SparkPlan = ProjectExec(columns, AcceptsColumnarInput.rows(child))

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val (values, input) = (columns.map(ProjectedColumnsExec.value), child.output)
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    child.executeColumnar().mapPartitionsInternal { batches =>
      val projection = new BatchProjection(values, input)
      batches.map { batch =>
        outputRows += batch.numRows
        projection(batch)
      }
    }
  }

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException(s"$nodeName does not emit rows")

  override protected def withNewChildInternal(newChild: SparkPlan): ProjectedColumnsExec =
    copy(child = newChild)
}

object ProjectedColumnsExec {

  /** Returns true if all expressions are columns of the child, or can be computed in columns. */
  def supports(expressions: Seq[NamedExpression]): Boolean = expressions.map(value).forall {
    case _: Attribute => true
    case other => other.deterministic && ComputedColumn.supports(other.dataType)
  }

  private def value(expression: NamedExpression): Expression = expression match {
    case Alias(child, _) => child
    case other => other
  }
}

/** A projected batch is valid until the next one: it shares columns with the batch. */
private final class BatchProjection(values: Seq[Expression], input: Seq[Attribute]) {
  private val picked = values.map {
    case a: Attribute => input.indexWhere(_.exprId == a.exprId)
    case _ => -1
  }.toArray
  private val expressions = values.filterNot(_.isInstanceOf[Attribute])
  private val computed = expressions.map(e => new ComputedColumn(e.dataType)).toArray
  private lazy val compute = UnsafeProjection.create(expressions, input)

  def apply(batch: ColumnarBatch): ColumnarBatch = {
    if (computed.nonEmpty) fill(batch)
    val made = computed.iterator
    new ColumnarBatch(
      picked.map(c => if (c < 0) made.next().vector else batch.column(c)),
      batch.numRows
    )
  }

  private def fill(batch: ColumnarBatch): Unit = {
    computed.foreach(_.begin(batch.numRows))
    var i = 0
    while (i < batch.numRows) {
      val row = compute(batch.getRow(i))
      var c = 0
      while (c < computed.length) {
        computed(c).put(i, row, c)
        c += 1
      }
      i += 1
    }
  }
}

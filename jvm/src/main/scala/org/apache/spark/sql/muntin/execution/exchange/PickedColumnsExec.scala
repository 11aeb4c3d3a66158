package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Some columns of column batches, in some order: a ProjectExec that computes nothing. */
case class PickedColumnsExec(columns: Seq[NamedExpression], child: SparkPlan)
    extends UnaryExecNode
    with TakesColumns {
  override def nodeName: String = "MuntinColumns"

  override def output: Seq[Attribute] = columns.map(_.toAttribute)

  override def supportsColumnar: Boolean = true

  override def overRows: SparkPlan = ProjectExec(columns, TakesColumns.rows(child))

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val picked = columns
      .flatMap(PickedColumnsExec.picked)
      .map(a => child.output.indexWhere(_.exprId == a.exprId))
      .toArray
    child.executeColumnar().mapPartitionsInternal { batches =>
      batches.map(b => new ColumnarBatch(picked.map(b.column(_)), b.numRows))
    }
  }

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException(s"$nodeName has no rows")

  override protected def withNewChildInternal(newChild: SparkPlan): PickedColumnsExec =
    copy(child = newChild)
}

object PickedColumnsExec {

  /** Whether all expressions are columns of the child. */
  def support(expressions: Seq[NamedExpression]): Boolean =
    expressions.forall(picked(_).isDefined)

  private def picked(expression: NamedExpression): Option[Attribute] = expression match {
    case a: Attribute => Some(a)
    case Alias(a: Attribute, _) => Some(a)
    case _ => None
  }
}

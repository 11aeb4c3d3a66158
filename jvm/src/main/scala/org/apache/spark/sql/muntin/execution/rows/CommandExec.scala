package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric

/** Runs a command when its rows are read. The driver computes the rows once. */
abstract class CommandExec extends LeafExecNode {
  protected def compute(): Seq[InternalRow]

  private lazy val computed: Seq[InternalRow] = compute()

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  // It is executed once.
  override protected def doCanonicalize(): SparkPlan = this

  override protected def doExecute(): RDD[InternalRow] = {
    val unsafe = UnsafeProjection.create(output.map(_.dataType).toArray)
    val rows: Seq[InternalRow] = computed.map(unsafe(_).copy())
    longMetric(OperatorMetrics.OutputRows) += rows.size.toLong
    sparkContext.parallelize(rows, 1)
  }
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * The rows of a table, which a stream begins with, under the names of the source's columns. A group
 * may have all of its history in this one micro-batch, so operators require sorted rows instead of
 * sorting the rows of a group in memory.
 */
case class HistoryRowsExec(output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override def nodeName: String = "MuntinHistory"

  override protected def doExecute(): RDD[InternalRow] = {
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    child.execute().mapPartitionsInternal { rows =>
      rows.map { row =>
        outputRows += 1L
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): HistoryRowsExec =
    copy(child = newChild)
}

object HistoryRowsExec {

  /** Returns true if the rows of the plan are the rows of tables. */
  def isIn(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[HistoryRowsExec])
}

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * Reads the rows of a stateful operator's exchange a second time, for its sibling operator: the
 * source is read once, and both operators have the same rows. The stateful operator sets the
 * exchange when it runs. Until then rules may replace the exchange, and a copy of it would shuffle
 * the rows again. Without an exchange this operator fails.
 */
case class SharedRowsExec(output: Seq[Attribute]) extends LeafExecNode {
  @transient private var exchanged: SparkPlan = _

  def readFrom(exchanged: SparkPlan): Unit = this.exchanged = exchanged

  override def nodeName: String = "MuntinSharedRows"

  // The shared rows of another operator look the same.
  override protected def doCanonicalize(): SparkPlan = this

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override protected def doExecute(): RDD[InternalRow] = {
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    val rows = if (exchanged == null) StreamTimes.unknown(this) else exchanged.execute()
    rows.mapPartitionsInternal(_.map { row =>
      outputRows += 1L
      row
    })
  }
}

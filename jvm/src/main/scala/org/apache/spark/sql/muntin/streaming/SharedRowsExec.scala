package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}

/**
 * The rows that an operator with state has had exchanged, once more, for what stands beside them:
 * the source is read once, and both have the same rows, whatever is below. Which exchange it is
 * that operator tells when it is run: rules may put another exchange in its place until then, and a
 * copy would shuffle the rows again. Until it is told it fails.
 */
case class SharedRowsExec(output: Seq[Attribute]) extends LeafExecNode {
  @transient private var exchanged: SparkPlan = _

  def readFrom(exchanged: SparkPlan): Unit = this.exchanged = exchanged

  override def nodeName: String = "MuntinSharedRows"

  // Those of another operator look the same.
  override protected def doCanonicalize(): SparkPlan = this

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  override protected def doExecute(): RDD[InternalRow] =
    if (exchanged == null) StreamTimes.unknown(this) else exchanged.execute()
}

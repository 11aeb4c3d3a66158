package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Leaves out the late rows of a stream before they are exchanged, or aggregated by pane, for an operator with
 * state. Which are late Spark tells that operator alone, and it tells this one when it is run itself.
 *
 * It also keeps the exchange above it from being shared with another operator's: Spark looks for the watermark of
 * an operator below it, and where an exchange is shared finds none.
 *
 * @param isTimed
 *   a row without a time is an error; else the operator is to say what it is
 * @param isShared
 *   the operator's exchange is read twice (SharedRowsExec): there is one, also where rows lie already as it wants them
 */
case class LateRowsExec(
    function: String,
    time: Attribute,
    child: SparkPlan,
    isTimed: Boolean = true,
    isShared: Boolean = false
) extends UnaryExecNode {
  @transient private var late: Option[Long] = None
  @transient private var dropped: SQLMetric = _

  /** Rows up to and with the time `late` go, and are counted. */
  def tell(late: Option[Long], dropped: SQLMetric): Unit = {
    this.late = late
    this.dropped = dropped
  }

  override def nodeName: String = "MuntinLateRows"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    if (isShared) UnknownPartitioning(child.outputPartitioning.numPartitions)
    else child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Another one, though it be of the same rows, would be told something else.
  override protected def doCanonicalize(): SparkPlan = this

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  override protected def doExecute(): RDD[InternalRow] = {
    val bound = late.getOrElse(Long.MinValue)
    val counted = dropped
    val check = new StreamRowTime(function, time, child.output)
    val timed = isTimed
    child.execute().mapPartitionsInternal { rows =>
      rows.filter { row =>
        val isLate = (timed || !check.isMissing(row)) && check.of(row) <= bound
        if (isLate) counted += 1L
        !isLate
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): LateRowsExec =
    copy(child = newChild)
}

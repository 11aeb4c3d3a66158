package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * Leaves out the late rows of a stream before they are exchanged, or aggregated by pane, for an
 * operator with state. Which rows are late the operator with state alone knows, when Spark has
 * planned a micro-batch; the operator with state then has a copy of this one below it that knows
 * (StreamWindowsExec.timed). One that does not know fails.
 *
 * It also keeps the exchange above it from being shared with another operator's: Spark looks for
 * the watermark of an operator below it, and where an exchange is shared finds none.
 *
 * @param isTimed
 *   a row without a time is an error; else the operator is to say what it is
 * @param isShared
 *   the operator's exchange is read twice (SharedRowsExec): there is one, also where rows lie
 *   already as it wants them
 * @param batch
 *   says up to which time rows are late; None until the micro-batch is planned
 */
case class LateRowsExec(
    function: String,
    time: Attribute,
    child: SparkPlan,
    isTimed: Boolean = true,
    isShared: Boolean = false,
    batch: Option[BatchTime] = None
) extends UnaryExecNode {
  private[streaming] def knowing(batch: BatchTime): LateRowsExec = {
    val made = copy(batch = Some(batch))
    made.copyTagsFrom(this)
    made
  }

  override lazy val metrics: Map[String, SQLMetric] = Map(
    LateRows.Dropped ->
      SQLMetrics.createMetric(sparkContext, "number of rows which are dropped by watermark")
  )

  /** Rows up to and with this time are late, in a micro-batch; None inside where no row is. */
  private[streaming] def late: Option[Option[Long]] = batch.map(_.get.late)

  /** How many rows have been left out. */
  def dropped: Long = longMetric(LateRows.Dropped).value

  override def nodeName: String = "MuntinLateRows"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    if (isShared) UnknownPartitioning(child.outputPartitioning.numPartitions)
    else child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Another one, though it be of the same rows, may know something else.
  override protected def doCanonicalize(): SparkPlan = this

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  override protected def doExecute(): RDD[InternalRow] = {
    val bound = late.getOrElse(StreamTimes.unknown(this)).getOrElse(Long.MinValue)
    val counted = longMetric(LateRows.Dropped)
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

private object LateRows {
  val Dropped = "numRowsDroppedByWatermark"
}

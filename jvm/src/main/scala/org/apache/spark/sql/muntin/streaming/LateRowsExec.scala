package org.apache.spark.sql.muntin.streaming

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * Drops the late rows of a stream before they are exchanged, or aggregated by pane, for a
 * downstream stateful operator, which requires it. No other operator decides which rows the
 * watermark makes late. The clock of the stateful operator has the watermark.
 *
 * It also keeps the exchange above it from being shared with another operator's exchange: Spark
 * looks for the watermark of a stateful operator below the operator, and does not find it below a
 * shared exchange.
 *
 * @param isTimed
 *   whether a row without a time raises an error here; else the stateful operator raises it
 * @param isExchanged
 *   whether an exchange is required even if the rows are in the right tasks already: because it
 *   is read twice (SharedRowsExec), or because the newest time must be known after it
 *   (StreamClock)
 * @param usesUpstream
 *   whether the rows use the bound of upstream windows: then no row is late
 */
case class LateRowsExec(
    function: String,
    time: Attribute,
    child: SparkPlan,
    clock: StreamClock,
    isTimed: Boolean = true,
    isExchanged: Boolean = false,
    usesUpstream: Boolean = false
) extends UnaryExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext) + (
    LateRows.Dropped ->
      SQLMetrics.createMetric(sparkContext, "number of rows which are dropped by watermark")
  )

  /** Returns the time below which rows are late; None if no row can be late. */
  private[streaming] def lateBelow: Option[Long] =
    clock.time(this).lateBelow.filterNot(_ => usesUpstream)

  /** Returns the number of dropped rows. */
  def dropped: Long = longMetric(LateRows.Dropped).value

  override def nodeName: String = "MuntinLateRows"

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](function, time) ++ Option.when(usesUpstream)("bound of upstream windows")

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning =
    if (isExchanged) UnknownPartitioning(child.outputPartitioning.numPartitions)
    else child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Another LateRowsExec over the same rows may have another time.
  override protected def doCanonicalize(): SparkPlan = this

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  override protected def doExecute(): RDD[InternalRow] = {
    val bound = lateBelow.getOrElse(Long.MinValue)
    val counted = longMetric(LateRows.Dropped)
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    val check = new StreamRowTime(function, time, child.output)
    val timed = isTimed
    val newest = clock.newest
    val (folder, name, columns) = (clock.late, time.name, child.output)
    child.execute().mapPartitionsInternal { rows =>
      val file = folder.map(_.file(name, columns, TaskContext.get()))
      rows.filter { row =>
        val isLate = (timed || !check.isMissing(row)) && {
          val t = check.of(row)
          if (newest.isDefined) newest.get.update(t)
          t < bound
        }
        if (isLate) {
          counted += 1L
          file.foreach(_.write(row))
        } else outputRows += 1L
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

package org.apache.spark.sql.muntin.streaming

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * What the tasks of a micro-batch report beside their results.
 *
 * @param late
 *   the folder for dropped rows, if any
 * @param bound
 *   receives the bound of this operator's rows, for a downstream operator; with true the bound of
 *   their starts
 * @param openedAt
 *   if the clock closes windows: receives the earliest clock at which an open window opened
 */
private[streaming] final case class TaskReports(
    late: Option[LateFolder],
    bound: Option[(TimeAccumulator, Boolean)],
    openedAt: Option[TimeAccumulator],
    metrics: Map[String, SQLMetric]
) {
  def keepsBegins: Boolean = bound.exists(_._2)

  def outputRows: SQLMetric = metrics("numOutputRows")

  def drops(input: Seq[Attribute], context: TaskContext): GroupDrops = new GroupDrops(
    late.map(_.file("state", input, context)),
    metrics("numRowsDroppedByWatermark"),
    metrics("numRowsOutOfOrder"),
    metrics("numGroupsExpired")
  )

  /** Reports times and sizes of a partition that has emitted its last result. */
  def add(groups: StreamGroups): Unit = {
    openedAt.foreach(_.update(groups.oldestClock))
    bound.foreach { case (downstream, isBegin) =>
      downstream.update(if (isBegin) groups.beginsBound else groups.resultsBound)
    }
    val totals = groups.totals
    metrics("numRowsBuffered") += totals.rows
    metrics("numPages") += totals.pages
    metrics("numGroups") += totals.groups
    metrics("stateBytes") += totals.bytes
  }

  /** Adds the milliseconds since `nanos`, a value of System.nanoTime, to a metric. */
  def addTime(metric: String, nanos: Long): Unit =
    metrics(metric) += (System.nanoTime - nanos) / 1000000L
}

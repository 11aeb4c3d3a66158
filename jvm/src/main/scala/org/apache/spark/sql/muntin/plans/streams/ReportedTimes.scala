package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.{StreamClock, TimeReport}

/** Windows of a stream that report their bound to the downstream operator. */
private[plans] final case class ReportedTimes(report: TimeReport, child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): ReportedTimes =
    copy(child = newChild)
}

/**
 * A time of upstream windows; `of` is the column that identifies them. With `isBegin` the time lags
 * the watermark, and its bound is the time of the oldest open window or of the oldest waiting row.
 * Otherwise the windows emit their results in the order of this time.
 */
private[muntin] final case class ResultTime(column: ExprId, isBegin: Boolean)

private[plans] object ReportedTimes {

  /**
   * Returns an operator's input, in which the nearest upstream windows report the bounds of `times`
   * to the operator's clock. All windows must report, unless other rows use the watermark.
   */
  def of(times: Seq[ResultTime], clock: StreamClock)(rows: LogicalPlan): LogicalPlan =
    if (times.isEmpty) rows
    else if (!rows.isStreaming || !StreamStateStore.isWindows(rows)) {
      rows.mapChildren(of(times, clock))
    } else {
      val own = times.filter(t => rows.producedAttributes.exists(_.exprId == t.column))
      if (own.nonEmpty) ReportedTimes(TimeReport(clock, own.exists(_.isBegin)), rows)
      else if (clock.isMixed) rows
      else throw new IllegalStateException(s"no bound for\n$rows")
    }
}

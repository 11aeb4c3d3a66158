package org.apache.spark.sql.muntin.plans

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.streaming.{StreamClock, TimeReport}

/** Windows of a stream that report their bound to the operator above. */
private[plans] final case class ReportedTimes(report: TimeReport, child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): ReportedTimes =
    copy(child = newChild)
}

/**
 * A time of upstream windows; `of` is the column that identifies them. With `isBegin` the time lags
 * the watermark, and its bound is the time of the oldest open window or of the oldest row that
 * waits. Else the windows emit their results in the order of this time.
 */
private[muntin] final case class ResultTime(of: ExprId, isBegin: Boolean)

private[plans] object ReportedTimes {

  /**
   * Returns an operator's inputs, in which the next windows below report the bounds of `times` to
   * the operator's clock. All windows have to report, unless other rows use the watermark.
   */
  def of(times: Seq[ResultTime], clock: StreamClock)(inputs: Seq[LogicalPlan]): Seq[LogicalPlan] = {
    val found = mutable.Set.empty[ExprId]
    def reporting(plan: LogicalPlan): LogicalPlan =
      if (!plan.isStreaming || !StreamStateStore.isWindows(plan)) plan.mapChildren(reporting)
      else {
        val own = times.filter(t => id(plan).contains(t.of))
        found ++= own.map(_.of)
        if (own.nonEmpty) ReportedTimes(TimeReport(clock, own.exists(_.isBegin)), plan)
        else if (clock.isMixed) plan
        else throw new IllegalStateException(s"no bound is known of ${plan.nodeName}\n$plan")
      }
    val made = if (times.isEmpty) inputs else inputs.map(reporting)
    times.find(t => !found(t.of)).foreach { time =>
      throw new IllegalStateException(s"no windows report ${time.of}")
    }
    made
  }

  /** The column that identifies windows of a stream. */
  private def id(windows: LogicalPlan): Option[ExprId] = windows match {
    case over: StreamWindows => over.results.headOption.map(_.exprId)
    case groups: GroupWindows => Some(groups.windowAttribute.exprId)
    case anchors: AnchoredWindows => anchors.id
    case _ => None
  }
}

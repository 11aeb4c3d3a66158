package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.plans.logical.{Bounds, ExpressionLineage, StreamWindows}
import org.apache.spark.sql.muntin.spark.{GroupBy, JoinOn, MuntinAnalysisException}
import org.apache.spark.sql.muntin.streaming.StreamClock

/**
 * In the order of arrival, computes an operator's time for the bounds below it, from the columns at
 * the bounds' position. So bounds report their times to the operator's clock, although the operator
 * does not receive them.
 *
 *     StreamWindows [ORDER BY at]                     has a clock
 *     +- Join [ticker]
 *        +- Project [timestamp_seconds(t) AS at, …]
 *           +- Bounds [ticker IS NULL]                times: timestamp_seconds(t), to the clock
 */
private[plans] object BoundTimes {

  /**
   * Returns the rows, in which bounds report `time` to the clock.
   *
   * @param delay
   *   how long after a bound the windows in between emit the rows before it
   */
  def apply(
      rows: LogicalPlan,
      time: Expression,
      clock: StreamClock,
      delay: Long = 0L
  ): LogicalPlan = {
    def pushDown(
        child: LogicalPlan,
        timeBelow: Expression = time,
        addedDelay: Long = 0L
    ): LogicalPlan =
      if (timeBelow.references.subsetOf(child.outputSet))
        apply(child, timeBelow, clock, delay + addedDelay)
      else if (!child.exists(_.isInstanceOf[Bounds])) child
      else
        throw new MuntinAnalysisException(
          "MUNTIN_TIME_COMPUTED_AFTER_BOUND",
          "time" -> toPrettySQL(time),
          "operator" -> rows.nodeName
        )
    rows match {
      case bounds: Bounds =>
        bounds.copy(
          child = pushDown(bounds.child),
          times = bounds.times :+ time,
          delays = bounds.delays :+ delay,
          clocks = bounds.clocks :+ clock
        )
      case project @ Project(list, child) =>
        project.copy(child = pushDown(child, ExpressionLineage.throughProject(time, list)))
      case union: Union =>
        union.withNewChildren(union.children.map { child =>
          val columns = AttributeMap(union.output.zip(child.output))
          pushDown(child, time.transform { case a: Attribute => columns.getOrElse(a, a) })
        })
      // Windows that wait for rows have no fixed delay: they report their time to downstream
      // operators themselves (ReportedTimes), so bounds below them do not.
      case windows: StreamWindows =>
        windows.job.delay.fold(rows)(d =>
          windows.copy(child = pushDown(windows.child, addedDelay = d))
        )
      // The time of these rows is not the time at which they are emitted.
      case GroupBy(_, _, _) => rows
      case windows if StreamStateStore.isWindows(windows) => windows
      case join @ JoinOn(left, right, _, _) =>
        if (!right.isStreaming) join.withNewChildren(Seq(pushDown(left), right))
        else if (!left.isStreaming) join.withNewChildren(Seq(left, pushDown(right)))
        else join
      case other: UnaryNode => other.withNewChildren(Seq(pushDown(other.child)))
      case other => other
    }
  }
}

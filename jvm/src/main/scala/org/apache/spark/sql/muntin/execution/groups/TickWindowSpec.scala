package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, PreciseTimestampConversion}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.muntin.execution.split.{Grid, GroupReach, TickGrid}
import org.apache.spark.sql.muntin.expressions.{GroupWindow, TickPane, TickTime, TickWindow}
import org.apache.spark.sql.types.{LongType, TimestampType}

/** ticks: a window for each tick of a schedule. */
final case class TickWindowSpec(window: TickWindow) extends GroupWindowSpec {
  import window.{drains, schedule, span, time}

  /** The newest row, which bounds the ticks of every group. */
  override def ofAllGroups: Option[AggregateFunction] = Some(Max(time))

  override def plan(known: Option[Any]): GroupPlan = {
    val ticks = schedule.ticks()
    val last = known.flatMap(Option(_)).map(_.asInstanceOf[Long]).map { newest =>
      // A further row may come for a tick until a later row has come.
      if (drains) ticks.atOrAfter(newest) else ticks.before(newest)
    }
    // Without a row in any group there is no group.
    TickPlan(window, last.getOrElse(Long.MinValue))
  }

  // A window that goes back to the first row of its group has no start.
  override def ascending: Seq[Int] = Seq(1)

  override def panes: Option[WindowPanes] = Some(new WindowPanes {
    override def pane: Expression = TickPane(time, schedule)

    // Any time of a pane will do, since ticks cannot tell the times of a pane apart; so will the
    // newest.
    override def over(first: Attribute, last: Attribute): GroupWindow = window.copy(time = first)

    override def last(time: Expression): Option[Expression] =
      Some(PreciseTimestampConversion(TickPane(time, schedule), LongType, TimestampType))
  })

  override def reach: Option[GroupReach] = {
    val field = time match {
      case TickTime(child, _) => child
      case other => other
    }
    (field, span) match {
      case (column: Attribute, Some(ticks)) if Grid.supports(column) =>
        Some(TickGrid(column, schedule, ticks))
      case _ => None
    }
  }

  override object onStream extends GroupWindowOnStream {

    // The ticks go on as long as the stream does.
    override def plan(keyed: Boolean): GroupPlan = TickPlan(window, Long.MaxValue)

    override def endsByNewest: Boolean = true
  }
}

package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.muntin.expressions.{GroupWindow, SessionPane, Sessions}
import org.apache.spark.sql.types.DoubleType

/** sessions: a window for each run of rows without a gap. */
final case class SessionsSpec(window: Sessions) extends GroupWindowSpec {
  import window.{drains, gap, time}

  /** The newest row, which says which sessions are closed. */
  override def ofAllGroups: Option[AggregateFunction] =
    Option.when(!drains)(Max(window.reach.getOrElse(time)))

  override def plan(known: Option[Any]): GroupPlan = SessionsPlan(window, known.filter(_ != null))

  override def ascending: Seq[Int] = Seq(0, 1)

  override def panes: Option[WindowPanes] =
    Option.when(time.dataType != DoubleType)(new WindowPanes {
      override val pane: Expression = SessionPane(time, window.shown, gap.units(time.dataType))

      override def over(first: Attribute, last: Attribute): GroupWindow =
        window.copy(time = first, reach = Some(last), paned = Some(window.shown))

      // Sessions end within panes: on a stream each row counts by itself.
      override def last(time: Expression): Option[Expression] = None
    })

  override object onStream extends GroupWindowOnStream {
    override def plan(keyed: Boolean): GroupPlan =
      SessionsPlan(window.copy(drain = Some(false)), None)

    // A later row moves the end of its session on.
    override def withdraws: Boolean = true
  }
}

package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.muntin.plans.logical.{GroupWindows, LateRows, PanePartials}
import org.apache.spark.sql.muntin.streaming.StreamClock

/**
 * Windows of a stream over partials of panes. A partial waits until no further row of its pane can
 * come: then all partials of the pane are there, the partial with the pane's first row included,
 * and gaps between rows can be seen. No window needs the partial earlier, since no window ends
 * within a pane. Rows are late, not panes: a late row is left out before it gets into a partial.
 */
private[plans] object StreamPanes {

  /** The windows, and the column of the time at which a partial is released. */
  def of(
      windows: GroupWindows,
      clock: StreamClock,
      isExchanged: Boolean
  ): Option[(GroupWindows, Attribute)] =
    for {
      time <- GroupStreamTime.of(windows.window)
      paned <- PanePartials.of(windows)
      last <- windows.plan.lastOfPane(paned.window.order.head.child)
      partials <- Some(paned.child).collect { case p: PanePartials => p }
    } yield {
      val onTime =
        partials.copy(child =
          LateRows(windows.window.prettyName, time, clock, partials.child, isExchanged)
        )
      val released = Alias(last, "released")(explicitMetadata = Some(time.metadata))
      (
        paned.copy(child = Project(partials.output :+ released, onTime)),
        released.toAttribute
      )
    }
}

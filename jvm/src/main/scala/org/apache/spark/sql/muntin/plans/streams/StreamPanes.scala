package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.muntin.plans.logical.{GroupWindows, LateRows, PanePartials}
import org.apache.spark.sql.muntin.streaming.StreamClock

/**
 * Plans windows of a stream over partials of panes. A partial waits until no further row of its
 * pane can arrive. Then all partials of the pane have arrived, including the partial with the
 * pane's first row, and gaps between rows are known. No window needs the partial earlier, because
 * no window ends within a pane. Lateness applies to rows, not to panes: a late row is dropped
 * before it enters a partial.
 */
private[plans] object StreamPanes {

  /** Returns the windows, and the column of the time at which a partial is released. */
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

package io.muntin.calendar

import io.muntin.kernel.motions.Ticks

/**
 * The last microsecond before each tick. Windows `(start, end]` between these times equal the
 * windows `[start, end)` between the ticks.
 */
final class ClosingTicks(ticks: Ticks) extends Ticks {
  override def atOrAfter(time: Long): Long = ticks.atOrAfter(Math.addExact(time, 1L)) - 1L

  override def before(time: Long): Long = ticks.before(Math.addExact(time, 1L)) - 1L
}

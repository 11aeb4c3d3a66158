package io.muntin.calendar

import io.muntin.kernel.motions.Ticks

/**
 * Caches recently computed ticks. Times may alternate among several thousand periods.
 *
 * Each slot holds a tick, and the least time for which it was returned. Cost: two comparisons.
 *
 * @param shortest
 *   the usual least distance between two ticks
 */
final class CachedTicks(ticks: Ticks, shortest: Long) extends Ticks {
  private val shift = 63 - java.lang.Long.numberOfLeadingZeros(shortest)
  private val leastTimes = Array.fill(CachedTicks.Slots)(Long.MaxValue)
  private val cachedTicks = Array.fill(CachedTicks.Slots)(Long.MinValue)

  override def atOrAfter(time: Long): Long = {
    val slot = (time >> shift).toInt & (CachedTicks.Slots - 1)
    if (time < leastTimes(slot) || time > cachedTicks(slot)) {
      cachedTicks(slot) = ticks.atOrAfter(time)
      leastTimes(slot) = time
    }
    cachedTicks(slot)
  }

  override def before(time: Long): Long = ticks.before(time)
}

object CachedTicks {
  private val Slots = 1 << 12
}

package io.muntin.calendar

import io.muntin.kernel.motions.Ticks

/**
 * The same ticks, those asked for of late without finding them again: times may jump about among
 * some thousand periods.
 *
 * Each slot holds an answer, and the least time that it has been given for. Cost: two comparisons.
 *
 * @param shortest
 *   no two ticks are nearer to each other, mostly
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

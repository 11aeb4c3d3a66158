package org.apache.spark.sql.muntin.streaming

import org.apache.spark.util.AccumulatorV2

/**
 * The earliest clock, over the tasks of a micro-batch, at which windows opened that are open still.
 */
private[streaming] final class OldestClock
    extends AccumulatorV2[java.lang.Long, java.lang.Long] {
  private var least = Long.MaxValue

  /** Long.MaxValue where no window is open. */
  def clock: Long = least

  def see(clock: Long): Unit = if (clock < least) least = clock

  override def isZero: Boolean = least == Long.MaxValue

  override def copy(): OldestClock = {
    val made = new OldestClock
    made.least = least
    made
  }

  override def reset(): Unit = least = Long.MaxValue

  override def add(clock: java.lang.Long): Unit = see(clock)

  override def merge(other: AccumulatorV2[java.lang.Long, java.lang.Long]): Unit = see(other.value)

  override def value: java.lang.Long = least
}

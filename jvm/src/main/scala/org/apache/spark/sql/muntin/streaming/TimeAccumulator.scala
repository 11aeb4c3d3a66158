package org.apache.spark.sql.muntin.streaming

import org.apache.spark.util.AccumulatorV2

/** Accumulates the newest, or the oldest, of the times that the tasks of a micro-batch see. */
private[streaming] final class TimeAccumulator private (isNewest: Boolean)
    extends AccumulatorV2[java.lang.Long, java.lang.Long] {
  private val none = if (isNewest) Long.MinValue else Long.MaxValue
  private var time = none

  /**
   * Returns the time. Before the first time: Long.MinValue for the newest, Long.MaxValue for the
   * oldest.
   */
  def get: Long = time

  def update(other: Long): Unit = if (if (isNewest) other > time else other < time) time = other

  override def isZero: Boolean = time == none

  override def copy(): TimeAccumulator = {
    val made = new TimeAccumulator(isNewest)
    made.time = time
    made
  }

  override def reset(): Unit = time = none

  override def add(other: java.lang.Long): Unit = update(other)

  override def merge(other: AccumulatorV2[java.lang.Long, java.lang.Long]): Unit =
    update(other.value)

  override def value: java.lang.Long = time
}

private[streaming] object TimeAccumulator {
  def newest: TimeAccumulator = new TimeAccumulator(isNewest = true)

  def oldest: TimeAccumulator = new TimeAccumulator(isNewest = false)
}

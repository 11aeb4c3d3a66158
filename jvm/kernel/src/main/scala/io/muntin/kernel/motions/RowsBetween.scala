package io.muntin.kernel.motions

import io.muntin.kernel.columns.Column

/**
 * Finds the rows of a group, in the order of their times, between the ends of one anchor after the
 * other. Anchors arrive in the order of their starts; the current anchor's ends are at position 0
 * of `starts` and `ends`. If anchors arrive in another order, the caller calls `seek` instead of
 * `begin`, and `evictBefore` for the rows that later anchors do not need.
 *
 * Cost: one comparison per row for the starts, and per anchor the logarithm of the number of rows
 * after it; for `seek`, the logarithm of the number of kept rows. Guarded by RowsBetweenSuite.
 */
final class RowsBetween(
    times: Column,
    starts: Column,
    ends: Column,
    withStart: Boolean,
    withEnd: Boolean
) extends Column.Reader {
  private val toBegin = if (withStart) 0 else 1
  private val toEnd = if (withEnd) 1 else 0
  private var first = 0L
  private var lo = 0L
  private var oldestKept = 0L

  /**
   * The first row that is not before the anchor. After `begin`, later anchors have no row before it
   * either.
   */
  def from: Long = lo

  /** The first row that is kept. */
  override def floor: Long = oldestKept

  /** Starts a group with the row at `first`. */
  def startGroup(first: Long = 0L): Unit = {
    this.first = first
    lo = first
    oldestKept = first
  }

  /** Skips the rows, of those that have arrived, before the anchor. */
  def begin(arrived: Long): Unit = {
    while (lo < arrived && times.compareTo(lo, starts, 0L) < toBegin) lo += 1
    oldestKept = lo
  }

  /** Finds the first of the kept rows that is not before the anchor. */
  def seek(arrived: Long): Unit = {
    var low = oldestKept
    var high = arrived
    while (low < high) {
      val middle = (low + high) >>> 1
      if (times.compareTo(middle, starts, 0L) < toBegin) low = middle + 1 else high = middle
    }
    lo = low
  }

  /** Drops the rows before the value at position 0 of `least`, which no later anchor contains. */
  def evictBefore(least: Column, arrived: Long): Unit =
    while (oldestKept < arrived && times.compareTo(oldestKept, least, 0L) < 0) oldestKept += 1

  /** Returns true if the newest row is after the anchor: then no later row is in it. */
  def isPassed(arrived: Long): Boolean = arrived > first && isBehind(arrived - 1)

  /**
   * Returns the position after the anchor's last row; the rows from `from` until it are in the
   * anchor.
   */
  def until(arrived: Long): Long = {
    // Backwards from the newest row, in doubling steps: most anchors end there, and older rows may
    // be on disk.
    var high = arrived
    var step = 1L
    while (high - step >= lo && isBehind(high - step)) {
      high -= step
      step *= 2
    }
    var low = math.max(lo, high - step + 1)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isBehind(middle)) high = middle else low = middle + 1
    }
    low
  }

  private def isBehind(position: Long): Boolean = times.compareTo(position, ends, 0L) >= toEnd
}

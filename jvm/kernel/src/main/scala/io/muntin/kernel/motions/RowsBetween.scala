package io.muntin.kernel.motions

import io.muntin.kernel.columns.Column

/**
 * Which rows of a group, in the order of their times, lie between the ends of one anchor after the
 * other. Anchors come in the order of their starts; the current anchor's ends lie at position 0 of
 * `starts` and `ends`. If anchors arrive in another order, the caller calls `seek` instead of
 * `begin`, and `evictBefore` names the rows that later anchors do not need.
 *
 * Cost: one comparison per row for the starts, and per anchor the logarithm of the rows that have
 * arrived behind it; of `seek`, the logarithm of the rows that are kept. Guarded by
 * RowsBetweenSuite.
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
   * The first row that is not before the anchor; after `begin` no later anchor has one before it
   * either.
   */
  def from: Long = lo

  /** The first row that is kept. */
  override def floor: Long = oldestKept

  /** Begins with the row at `first`. */
  def startGroup(first: Long = 0L): Unit = {
    this.first = first
    lo = first
    oldestKept = first
  }

  /** Passes over the rows before the anchor, of those that have arrived. */
  def begin(arrived: Long): Unit = {
    while (lo < arrived && times.compareTo(lo, starts, 0L) < toBegin) lo += 1
    oldestKept = lo
  }

  /** Goes to the first of the kept rows that is not before the anchor. */
  def seek(arrived: Long): Unit = {
    var low = oldestKept
    var high = arrived
    while (low < high) {
      val middle = (low + high) >>> 1
      if (times.compareTo(middle, starts, 0L) < toBegin) low = middle + 1 else high = middle
    }
    lo = low
  }

  /** No later anchor has a row before the value at position 0 of `least`: those go. */
  def evictBefore(least: Column, arrived: Long): Unit =
    while (oldestKept < arrived && times.compareTo(oldestKept, least, 0L) < 0) oldestKept += 1

  /** Whether the newest row is behind the anchor, so that no later one is in it. */
  def isPassed(arrived: Long): Boolean = arrived > first && isBehind(arrived - 1)

  /** The position after the anchor's last row; the rows from `from` until it are in. */
  def until(arrived: Long): Long = {
    // Back from the newest, in doubling steps: most anchors end there, and what lies before may be
    // on disk.
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

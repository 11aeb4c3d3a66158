package io.muntin.kernel.extremes

import io.muntin.kernel.{Abilities, NonMonotonic}
import io.muntin.kernel.columns.{Column, Positions}
import io.muntin.kernel.memory.Memory

/**
 * SlidingNth's result for windows that move back and forth. With `present`, the rows that count are
 * listed once, and each end of a window is searched in this list.
 *
 *     present    0 1 0 0 1 1 0 1 1      the rows that count: 1 4 5 7 8
 *     window         [0 1 1 0)          from the second to before the fourth: 4 and 5
 *
 * Cost per row: index arithmetic; with `present` two binary searches, and 8 bytes for each row that
 * counts. Guarded by NonMonotonicSuite.
 */
final class NonMonotonicNth(
    memory: Memory,
    override val values: Column,
    present: Option[Column],
    n: Int,
    rows: Column.Reader
) extends Pick
    with NonMonotonic {
  private val marks = present.orNull
  private val listed = if (marks == null) null else new Positions(memory)
  // Rows before this position have been checked.
  private var looked = 0L
  private var found = Pick.None

  override def position: Long = found

  override def clear(): Unit = {
    if (listed != null) listed.clear()
    looked = 0L
    found = Pick.None
  }

  override def evictBefore(first: Long): Unit = if (listed != null) listed.dropBefore(first)

  override def evaluate(from: Long, until: Long): Unit =
    if (marks == null) found = nth(from, until)
    else {
      look(until)
      val index = nth(indexOf(from), indexOf(until))
      found = if (index < 0L) Pick.None else listed(index)
    }

  private def nth(from: Long, until: Long): Long = {
    val at = if (n > 0) from + n - 1L else until + n
    if (from <= at && at < until) at else Pick.None
  }

  private def look(until: Long): Unit = {
    looked = math.max(looked, rows.floor)
    while (looked < until) {
      if (!marks.isNull(looked)) listed.append(looked)
      looked += 1L
    }
  }

  /** Returns the index of the first row in the list at or after `row`. */
  private def indexOf(row: Long): Long = {
    var low = 0L
    var high = listed.size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (listed(middle) < row) low = middle + 1L else high = middle
    }
    low
  }

  override def close(): Unit = if (listed != null) listed.close()
}

object NonMonotonicNth {

  /** `marked`: only some rows of the window count. */
  def abilities(marked: Boolean): Abilities =
    Abilities(if (marked) "list of positions" else "position in the frame", isNonMonotonic = true)
}

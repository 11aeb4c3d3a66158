package io.muntin.kernel.sums

import io.muntin.kernel.NonMonotonic
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * Counts and exact sums of windows that move back and forth: the sum of a window is the sum of all
 * rows before its end, minus the sum of all rows before its start. Sums are exact, so the
 * difference is exact. A prefix sum, called a mark, is stored for every 16 rows; the rows between a
 * window's end and the nearest mark are added or subtracted one by one.
 *
 * {{{
 * rows      1 1 1 1 2 2 2 2 3 3 3 3        a mark for every 4 rows
 * marks     0       4       12      24
 * window        [1 1 2 2 2 2 3)            12 - 0 + 3 - (1 + 1)
 * }}}
 *
 * A window that differs from the previous window by a few rows is computed from it.
 *
 * Cost per row: one row added for the marks, two marks read, and up to 16 rows added or subtracted,
 * for windows of any width; for each 16 rows 8 bytes, and 16 to 60 for the sums. Source: prefix
 * sums; exact sums make them correct for floating point, too. Guarded by NonMonotonicSuite.
 */
final class NonMonotonicSums(memory: Memory, sums: Prefixed, rows: Column.Reader)
    extends NonMonotonic {
  import NonMonotonicSums._

  // Mark n has the sums of the rows from `origin` until origin + n * Step. Its position in
  // `written` is the (n - 1)-th of `places`; mark 0 has no rows.
  private var origin = 0L
  private val places = LongColumn.of(
    memory,
    new Column.Reader {
      override def floor: Long = math.max(0L, (rows.floor - origin) / Step - 1L)
    }
  )
  private val written = LongColumn.of(
    memory,
    new Column.Reader {
      override def floor: Long = {
        val first = math.max(places.oldest, (rows.floor - origin) / Step - 1L)
        if (first < places.size) places(first) else place
      }
    }
  )
  // The start of the mark that is being written.
  private var place = 0L
  private var lo = Nowhere
  private var hi = Nowhere

  override def clear(): Unit = {
    begin(0L)
    sums.clear()
    lo = Nowhere
    hi = Nowhere
  }

  private def begin(first: Long): Unit = {
    written.clear()
    places.clear()
    place = 0L
    origin = first
  }

  override def evictBefore(first: Long): Unit = if (lo < first) {
    if (first < hi && first - lo <= Step) {
      sums.leave(lo, first)
      lo = first
    } else {
      lo = Nowhere
      hi = Nowhere
    }
  }

  override def evaluate(from: Long, until: Long): Unit = {
    if (math.abs(from - lo) + math.abs(until - hi) <= Step) {
      if (lo < from) sums.leave(lo, from) else sums.enter(from, lo)
      if (hi < until) sums.enter(hi, until) else sums.leave(until, hi)
    } else if (until - from <= Step) {
      sums.clear()
      sums.enter(from, until)
    } else {
      markUntil(until)
      find(from, until)
    }
    lo = from
    hi = until
  }

  private def markUntil(end: Long): Unit = {
    // Rows that are in no mark have been forgotten.
    if (origin + places.size * Step < rows.floor) begin(rows.floor)
    val writtenMarks = places.size
    val neededMarks = (end - origin) / Step
    if (writtenMarks < neededMarks) {
      if (writtenMarks == 0L) sums.clear() else sums.read(written, places(writtenMarks - 1L))
      var mark = writtenMarks
      while (mark < neededMarks) {
        sums.enter(origin + mark * Step, origin + (mark + 1L) * Step)
        place = written.size
        sums.write(written)
        // Last: memory may have been refused, and then the mark is written again.
        places.append(place)
        mark += 1L
      }
    }
  }

  private def find(from: Long, until: Long): Unit = {
    val nearest = (from - origin + Step / 2) / Step
    val first = if (origin + nearest * Step < rows.floor) nearest + 1L else nearest
    val last = math.min((until - origin + Step / 2) / Step, places.size)
    if (last == 0L) sums.clear() else sums.read(written, places(last - 1L))
    if (first != 0L) sums.take(written, places(first - 1L))
    val begin = origin + first * Step
    if (begin < from) sums.leave(begin, from) else sums.enter(from, begin)
    val end = origin + last * Step
    if (end < until) sums.enter(end, until) else sums.leave(until, end)
  }

  override def close(): Unit = {
    written.close()
    places.close()
    sums.close()
  }
}

private object NonMonotonicSums {

  /** The number of rows between two marks. */
  private final val Step = 16L

  /** A position far from every row. */
  private final val Nowhere = Long.MinValue / 4
}

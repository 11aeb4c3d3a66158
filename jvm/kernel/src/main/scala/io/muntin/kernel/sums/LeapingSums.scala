package io.muntin.kernel.sums

import io.muntin.kernel.Leaping
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * Counts and exact sums of windows that go back and forth: the sum of a window is that of all rows
 * before its end, less that of all rows before its beginning. Sums are exact, so nothing is lost by
 * it. They are written down for every 16 rows; what lies between a window's end and the nearest of
 * these marks is added or taken away row by row.
 *
 * {{{
 * rows      1 1 1 1 2 2 2 2 3 3 3 3        a mark for every 4 rows
 * marks     0       4       12      24
 * window        [1 1 2 2 2 2 3)            12 - 0 + 3 - (1 + 1)
 * }}}
 *
 * A window that is the one before it but for a few rows is found from that one.
 *
 * Cost per row: one row added for the marks, two marks read, and up to 16 rows added or taken away,
 * however wide the windows are; for each 16 rows 8 bytes, and those of the sums, 16 to 60. Source:
 * prefix sums; exact ones make them right for floating point, too. Guarded by LeapingSuite.
 */
final class LeapingSums(memory: Memory, sums: Prefixed) extends Leaping {
  import LeapingSums._

  private val written = longs()
  // By mark, from the second: where it lies in `written`. The first has no rows.
  private val places = longs()
  private var lo = 0L
  private var hi = 0L

  private def longs(): LongColumn = {
    val column = new LongColumn(memory, nullable = false)
    column.addReader(Column.Everything)
    memory.paging.foreach(column.goesTo)
    column
  }

  override def clear(): Unit = {
    written.clear()
    places.clear()
    sums.clear()
    lo = 0L
    hi = 0L
  }

  override def leap(from: Long, until: Long): Unit = {
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
    val known = places.size
    val wanted = end / Step
    if (known < wanted) {
      if (known == 0L) sums.clear() else sums.read(written, places(known - 1L))
      var mark = known
      while (mark < wanted) {
        sums.enter(mark * Step, (mark + 1L) * Step)
        val place = written.size
        sums.write(written)
        // Only now: memory may have been refused, and the mark is written again.
        places.append(place)
        mark += 1L
      }
    }
  }

  private def find(from: Long, until: Long): Unit = {
    val known = places.size
    val first = math.min((from + Step / 2) / Step, known)
    val last = math.min((until + Step / 2) / Step, known)
    if (last == 0L) sums.clear() else sums.read(written, places(last - 1L))
    if (first != 0L) sums.take(written, places(first - 1L))
    val begin = first * Step
    if (begin < from) sums.leave(begin, from) else sums.enter(from, begin)
    val end = last * Step
    if (end < until) sums.enter(end, until) else sums.leave(until, end)
  }

  override def close(): Unit = {
    written.close()
    places.close()
    sums.close()
  }
}

private object LeapingSums {

  /** So many rows lie between two marks. */
  private final val Step = 16L
}

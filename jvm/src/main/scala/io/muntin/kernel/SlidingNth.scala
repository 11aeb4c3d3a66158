package io.muntin.kernel

/**
 * The n-th row of a frame, counted from 1 at its start, or from -1 at its end: first, last,
 * nth_value, lead and lag. Where `present` is given, only rows count for which it is not null
 * (IGNORE NULLS, FILTER).
 *
 * Cost per row: index arithmetic; with `present` a queue of the rows that count, 8 bytes each.
 * Guarded by NthSuite.
 */
final class SlidingNth(memory: Memory, override val values: Column, present: Option[Column], n: Int)
    extends Pick {
  private val marks: Column = present.orNull
  private val counting: Positions = if (marks == null) null else new Positions(memory)
  private var lo = 0L
  private var hi = 0L

  override def clear(): Unit = {
    lo = hi
    if (counting != null) counting.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) lo = from
    hi = until
    if (counting != null) {
      var p = from
      while (p < until) {
        if (!marks.isNull(p)) counting.append(p)
        p += 1
      }
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    lo = until
    if (counting != null) counting.dropBefore(until)
  }

  override def position: Long = {
    val size = if (counting == null) hi - lo else counting.size
    val index = if (n > 0) n - 1L else size + n
    if (index < 0 || index >= size) Pick.None
    else if (counting == null) lo + index
    else counting(index)
  }

  override def close(): Unit = if (counting != null) counting.close()
}

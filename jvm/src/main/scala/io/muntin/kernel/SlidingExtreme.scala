package io.muntin.kernel

/**
 * The row with the greatest (`sign` 1) or least (`sign` -1) value in `order`, where rows leave: min,
 * max, min_by, max_by. Nulls in `order` do not take part. Among equals the earliest row wins, or the
 * latest.
 *
 * Two stacks over one ring: of the rows [lo, mid), `suffix` holds for each which row from it on until
 * mid is the extreme; of the rows [mid, hi) one extreme is kept. When the last row before mid leaves,
 * the suffixes of all that is there are computed anew, backwards. The extreme depends on the rows
 * alone, not on where mid lies, since ties are decided by position.
 *
 * Cost per row: three comparisons, amortised; 4 bytes. Source: two-stacks of Tangwongsan, Hirzel and
 * Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time" (VLDB J. 2021), on
 * positions. Guarded by ExtremeSuite.
 */
final class SlidingExtreme(
    memory: Memory,
    order: Column,
    override val values: Column,
    sign: Int,
    latest: Boolean
) extends Pick {
  // How far behind each row before mid its extreme lies; -1 where all values until mid are null.
  private val suffix = new IntRing(memory)
  private var lo = 0L
  private var mid = 0L
  private var hi = 0L
  private var newest = Pick.None

  // A later row takes the place of an earlier one where sign * compare is at least this.
  private val toReplace = if (latest) 0 else 1

  override def clear(): Unit = {
    lo = hi
    mid = hi
    newest = Pick.None
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) {
      lo = from
      mid = from
      newest = Pick.None
    }
    var best = newest
    var p = from
    while (p < until) {
      if (!order.isNull(p) && (best < 0 || sign * order.compare(p, best) >= toReplace)) best = p
      p += 1
    }
    newest = best
    hi = until
  }

  override def leave(from: Long, until: Long): Unit = {
    lo = until
    if (until >= mid) turnOver()
  }

  override def position: Long = {
    val delta = if (lo < mid) suffix(lo) else -1
    if (delta < 0) newest
    else {
      val oldest = lo + delta
      if (newest >= 0 && sign * order.compare(newest, oldest) >= toReplace) newest else oldest
    }
  }

  private def turnOver(): Unit = {
    // Every suffix is about to be computed anew: none is kept.
    suffix.reserve(lo, lo, hi)
    var best = Pick.None
    var p = hi - 1
    while (p >= lo) {
      if (!order.isNull(p) && (best < 0 || sign * order.compare(best, p) < toReplace)) best = p
      suffix(p) = if (best < 0) -1 else (best - p).toInt
      p -= 1
    }
    mid = hi
    newest = Pick.None
  }

  override def close(): Unit = suffix.close()
}

/**
 * The row that SlidingExtreme would pick in a frame of several pieces, of those that it picks in each.
 * Guarded by PiecesSuite.
 */
final class ExtremeOfPieces(
    pieces: Array[SlidingExtreme],
    order: Column,
    override val values: Column,
    sign: Int,
    latest: Boolean
) extends Pick
    with OfPieces {
  private val toReplace = if (latest) 0 else 1

  override def position: Long = {
    var best = Pick.None
    var i = 0
    while (i < pieces.length) {
      val next = pieces(i).position
      if (next >= 0 && (best < 0 || sign * order.compare(next, best) >= toReplace)) best = next
      i += 1
    }
    best
  }
}

package io.muntin.kernel.extremes

import io.muntin.kernel.{Abilities, PieceCombiner}
import io.muntin.kernel.columns.{Column, IntRing}
import io.muntin.kernel.memory.Memory

/**
 * Picks the row with the greatest (`sign` 1) or least (`sign` -1) value in `order`, for frames that
 * rows leave: min, max, min_by, max_by. Nulls in `order` are ignored. Among equal values the
 * earliest row wins, or the latest.
 *
 * Two stacks over one ring. For each row of [lo, mid), the ring has the extreme from that row until
 * mid; for [mid, hi) there is one extreme. When the last row before mid leaves, mid becomes hi, and
 * all extremes are computed again, backwards. The result does not depend on mid, since ties are
 * decided by position.
 *
 *     rows      [lo . . .|. . . .|. . . .|. . mid . . . hi)
 *     suffixes   x x x x   x       x       x          x
 *
 * In a wide frame, only the oldest block of rows has a suffix for each of its rows. Other blocks
 * have one at their start, and are scanned again when they become the oldest. So memory almost does
 * not depend on the frame's width, and the scanned rows are in the processor's cache.
 *
 * Cost per row: three comparisons, amortised, and a fourth if the frame has several blocks; 4 bytes
 * for each row of a block. Source: two-stacks of Tangwongsan, Hirzel and Schneider, "In-Order
 * Sliding-Window Aggregation in Worst-Case Constant Time" (VLDB J. 2021), on positions. Guarded by
 * ExtremeSuite.
 */
final class SlidingExtreme(
    memory: Memory,
    order: Column,
    override val values: Column,
    sign: Int,
    latest: Boolean,
    block: Int = SlidingExtreme.Block
) extends Pick {
  // For each row until `blockEnd`: the distance to its extreme, if that is in the block.
  private val suffix = new IntRing(memory)
  private var lo = 0L
  private var blockEnd = 0L
  private var mid = 0L
  private var hi = 0L
  private var newest = Pick.None

  // Blocks begin at `origin` and every `block` rows. For each block after the first: the extreme
  // from its start until mid.
  private var origin = 0L
  private var ofBlocks = new Array[Long](0)
  // The extreme from `blockEnd` until mid.
  private var beyond = Pick.None

  // A later row replaces an earlier row if sign * compare is at least this.
  private val toReplace = if (latest) 0 else 1

  override def clear(): Unit = {
    lo = hi
    mid = hi
    blockEnd = hi
    newest = Pick.None
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) {
      lo = from
      mid = from
      blockEnd = from
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
    else if (until >= blockEnd) findSuffixes(((until - origin) / block).toInt)
  }

  override def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    leave(start, newStart)
    enter(end, newEnd)
  }

  override def position: Long = {
    val oldest =
      if (lo >= mid) Pick.None
      else {
        val delta = suffix(lo)
        if (delta == SlidingExtreme.Beyond) beyond else lo + delta
      }
    if (oldest < 0) newest
    else if (newest >= 0 && sign * order.compare(newest, oldest) >= toReplace) newest
    else oldest
  }

  /** Sets mid to hi, and computes the extremes of all rows before it. */
  private def turnOver(): Unit = {
    val others = if (hi - lo <= block) 0 else ((hi - lo - 1L) / block).toInt
    if (others > ofBlocks.length) {
      val length = Integer.highestOneBit(others) << 1
      memory.acquire(8L * length)
      memory.release(8L * ofBlocks.length)
      ofBlocks = new Array[Long](length)
    }
    // Before any change: if the request is denied, the frame is unchanged.
    suffix.reserve(lo, lo, math.min(lo + block, hi))
    var best = Pick.None
    var until = hi
    var i = others - 1
    while (i >= 0) {
      val from = lo + (i + 1L) * block
      best = extreme(from, until, best)
      ofBlocks(i) = best
      until = from
      i -= 1
    }
    origin = lo
    mid = hi
    newest = Pick.None
    findSuffixes(0)
  }

  /** Returns the extreme of the rows from `from` until `until`, and of a later row. */
  private def extreme(from: Long, until: Long, later: Long): Long = {
    var best = later
    var p = until - 1
    while (p >= from) {
      if (!order.isNull(p) && (best < 0 || sign * order.compare(best, p) < toReplace)) best = p
      p -= 1
    }
    best
  }

  /** Computes the suffixes of the block that contains the oldest row. */
  private def findSuffixes(number: Int): Unit = {
    val next = origin + (number + 1L) * block
    blockEnd = math.min(next, mid)
    beyond = if (next < mid) ofBlocks(number) else Pick.None
    suffix.reserve(lo, lo, blockEnd)
    var best = beyond
    var p = blockEnd - 1
    while (p >= lo) {
      if (!order.isNull(p) && (best < 0 || sign * order.compare(best, p) < toReplace)) best = p
      suffix(p) = if (best >= blockEnd || best < 0) SlidingExtreme.Beyond else (best - p).toInt
      p -= 1
    }
  }

  override def close(): Unit = {
    suffix.close()
    memory.release(8L * ofBlocks.length)
    ofBlocks = new Array[Long](0)
  }
}

object SlidingExtreme {
  val abilities: Abilities = Abilities("two stacks of positions")

  /** The number of rows with suffixes at any time. */
  val Block: Int = 4096

  private final val Beyond = -1
}

/**
 * The row that SlidingExtreme would pick in a frame of several pieces, from the picks of the
 * pieces. Guarded by PiecesSuite.
 */
final class ExtremeOfPieces(
    pieces: Array[SlidingExtreme],
    order: Column,
    override val values: Column,
    sign: Int,
    latest: Boolean
) extends Pick
    with PieceCombiner {
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

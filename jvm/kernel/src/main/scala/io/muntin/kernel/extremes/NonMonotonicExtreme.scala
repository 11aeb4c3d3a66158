package io.muntin.kernel.extremes

import io.muntin.kernel.{Abilities, NonMonotonic}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * SlidingExtreme's result for windows that move back and forth. It uses the extremes of blocks of
 * 16 rows, of 16 such blocks, and so on. Each is computed once, when a window first needs it.
 *
 * {{{
 * rows      3 1 | 4 1 | 5 9 | 2 6 | 5 3     blocks of 2, the greatest
 * blocks      3     4     9     6     5
 * of blocks      4           9
 * window      [1   4 1   5 9   2)           1, then 4, then 9, then 2: 9
 * }}}
 *
 * If a window contains the previous pick, and few rows that the previous window did not contain,
 * only these rows are compared.
 *
 * Cost per row: up to 32 comparisons for the rows, and as many for each level of blocks; 8 bytes
 * for each 16 rows. Source: B-ary trees over ranges, as in Leis, Kundhikanjana, Kemper and Neumann,
 * "Efficient Processing of Window Functions in Analytical SQL Queries" (VLDB 2015). Guarded by
 * NonMonotonicSuite.
 */
final class NonMonotonicExtreme(
    memory: Memory,
    order: Column,
    override val values: Column,
    sign: Int,
    latest: Boolean,
    rows: Column.Reader
) extends Pick
    with NonMonotonic {
  import NonMonotonicExtreme._

  // Level i has the position of the extreme of each block of 16^(i + 1) rows.
  private var levels = Array.empty[LongColumn]
  private var lo = 0L
  private var hi = 0L
  private var best = Pick.None

  // A later row replaces an earlier row if sign * compare is at least this.
  private val toReplace = if (latest) 0 else 1

  override def position: Long = best

  override def clear(): Unit = {
    levels.foreach(_.clear())
    lo = 0L
    hi = 0L
    best = Pick.None
  }

  // Nothing is read before the next window begins.
  override def evictBefore(first: Long): Unit = ()

  override def evaluate(from: Long, until: Long): Unit = {
    val overlaps = from < hi && lo < until
    val keeps = best < 0 || (from <= best && best < until)
    val further = math.max(0L, lo - from) + math.max(0L, until - hi)
    best =
      if (overlaps && keeps && further <= Few) {
        laterOf(Rows, hi, until, earlierOf(Rows, from, lo, best))
      } else found(from, until)
    lo = from
    hi = until
  }

  private def found(from: Long, until: Long): Long = {
    var level = Rows
    var first = from
    var last = until
    var before = Pick.None
    var tailExtreme = Pick.None
    while (last - first > 2L * Block) {
      val inner = (first + Block - 1L) / Block
      before = laterOf(level, first, inner * Block, before)
      tailExtreme = earlierOf(level, last / Block * Block, last, tailExtreme)
      first = inner
      last = last / Block
      level += 1
      make(level, last)
    }
    joined(laterOf(level, first, last, before), tailExtreme)
  }

  /** Creates the blocks of a level until `last`. */
  private def make(level: Int, last: Long): Unit = {
    val width = 1L << (BlockBits * (level + 1))
    if (level == levels.length) {
      val reader = new Column.Reader {
        override def floor: Long = rows.floor / width
      }
      levels = levels :+ LongColumn.of(memory, reader)
    }
    val blocks = levels(level)
    // Blocks with a forgotten row are in no window.
    val least = (rows.floor + width - 1L) / width
    if (blocks.size < least) blocks.clear(least)
    if (blocks.size < last && level > 0) make(level - 1, last * Block)
    while (blocks.size < last) {
      val from = blocks.size * Block
      blocks.append(laterOf(level - 1, from, from + Block, Pick.None))
    }
  }

  /** Returns the extreme of an earlier row and the blocks after it. */
  private def laterOf(level: Int, from: Long, until: Long, earlier: Long): Long = {
    var found = earlier
    var i = from
    while (i < until) {
      found = joined(found, at(level, i))
      i += 1L
    }
    found
  }

  /** Returns the extreme of the blocks before a later row, and of this row. */
  private def earlierOf(level: Int, from: Long, until: Long, later: Long): Long = {
    var found = later
    var i = until - 1L
    while (i >= from) {
      found = joined(at(level, i), found)
      i -= 1L
    }
    found
  }

  private def at(level: Int, i: Long): Long =
    if (level != Rows) levels(level)(i) else if (order.isNull(i)) Pick.None else i

  private def joined(earlier: Long, later: Long): Long =
    if (later < 0L) earlier
    else if (earlier < 0L || sign * order.compare(later, earlier) >= toReplace) later
    else earlier

  override def close(): Unit = {
    levels.foreach(_.close())
    levels = Array.empty
  }
}

object NonMonotonicExtreme {
  val abilities: Abilities = Abilities("extremes of blocks", isNonMonotonic = true)

  private final val BlockBits = 4
  private final val Block = 1L << BlockBits

  // The level below the lowest level of blocks.
  private final val Rows = -1

  // Beyond this number of rows, blocks are faster.
  private final val Few = 32L
}

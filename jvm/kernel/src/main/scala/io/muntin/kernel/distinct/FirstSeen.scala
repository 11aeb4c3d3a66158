package io.muntin.kernel.distinct

import io.muntin.kernel.columns.{Column, IntColumn, Longs}
import io.muntin.kernel.memory.Memory

/** Tracks which rows of a frame are the first to hold their value. */
trait FirstRows {

  /** Returns the first such row at or after `position`, or -1. */
  def from(position: Long): Long

  /** Returns the first row that holds the value of a code of `values`, or -1. */
  def first(values: Tally, code: Int): Long
}

/**
 * Tracks which rows of a frame are the first to hold their value: the set of a tally's values in
 * first-seen order. It is for frames that rows leave; if a frame only grows, the codes are in that
 * order.
 *
 * Each row of the frame has a bit, which is set if the row is the first with its value. The oldest
 * row is always such a row; when it leaves, the next row with the same value becomes the first.
 * Each row has a link to the next row with its value.
 *
 * If memory is short, the links, and the first and last row of each code, are spilled like a
 * column. The bits stay in memory.
 *
 * Cost per row: constant; reading all distinct values costs one step for each, and one word for 64
 * rows. 4 to 10 bytes and a bit per row in the frame, 16 per distinct value. Guarded by TallySuite.
 */
final class FirstSeen(memory: Memory, tally: Tally) extends FirstRows with Tally.Listener {
  import FirstSeen._

  // The distance from a row to the next row with the same value; 0 if there is not one yet.
  private val next = new IntColumn(memory)
  private val firsts = new Longs(memory)
  private val lasts = new Longs(memory)
  private var words = new Array[Long](InitialCapacity)
  private var lo = 0L
  private var hi = 0L

  memory.acquire(8L * words.length)
  next.addReader(new Column.Reader { override def floor: Long = lo })
  memory.paging.foreach(next.spillTo)
  tally.addListener(this)

  /** Returns the first row of the frame that holds the value of a code of its tally. */
  def first(code: Int): Long = firsts(code)

  override def first(values: Tally, code: Int): Long =
    if (values eq tally) first(code)
    else {
      val own = tally.codeOf(values, code)
      if (own < 0) None else firsts(own)
    }

  override def from(position: Long): Long = {
    val mask = words.length - 1
    var word = math.max(position, lo) >> 6
    val end = (hi + 63) >> 6
    if (word >= end) return None
    var bits = words(word.toInt & mask) & (-1L << math.max(position, lo).toInt)
    while (bits == 0L && word + 1 < end) {
      word += 1
      bits = words(word.toInt & mask)
    }
    if (bits == 0L) None else (word << 6) + java.lang.Long.numberOfTrailingZeros(bits)
  }

  override def entered(code: Int, position: Long): Unit = {
    if (lo == hi) {
      lo = position
      hi = position
      next.clear(position)
    }
    // Rows without a value have a link as well.
    while (next.size <= position) next.append(0)
    makeRoom(position)
    firsts.makeRoom(code)
    lasts.makeRoom(code)
    clearUntil(position)
    if (tally.count(code) == 1L) {
      firsts(code) = position
      set(position)
    } else {
      val last = lasts(code)
      next(last) = (position - last).toInt
    }
    lasts(code) = position
    hi = position + 1
  }

  override def left(code: Int, position: Long): Unit = {
    words((position >> 6).toInt & (words.length - 1)) &= ~(1L << position.toInt)
    if (tally.count(code) > 0L) {
      val following = position + next(position)
      firsts(code) = following
      set(following)
    }
    lo = position + 1
  }

  private def set(position: Long): Unit =
    words((position >> 6).toInt & (words.length - 1)) |= 1L << position.toInt

  // Clears words that the frame reaches for the first time: they may contain old bits.
  private def clearUntil(position: Long): Unit = {
    var word = if (lo == hi) position >> 6 else ((hi - 1) >> 6) + 1
    while (word <= (position >> 6)) {
      words(word.toInt & (words.length - 1)) = 0L
      word += 1
    }
  }

  // Reserves one more word than the rows fill, since a frame may begin and end inside words.
  private def makeRoom(position: Long): Unit = {
    val needed = (position >> 6) - (lo >> 6) + 1
    if (needed > words.length) {
      val capacity = java.lang.Long.highestOneBit(needed * 2 - 1).toInt
      memory.acquire(8L * capacity)
      val larger = new Array[Long](capacity)
      new Column.RingCopy(lo >> 6, (hi + 63) >> 6, words.length - 1, capacity - 1)(words, larger)
      memory.release(8L * words.length)
      words = larger
    }
  }

  override def clear(): Unit = {
    lo = hi
    next.clear()
    firsts.clear()
    lasts.clear()
  }

  override def close(): Unit = {
    next.close()
    firsts.close()
    lasts.close()
    memory.release(8L * words.length)
  }
}

object FirstSeen {
  private val InitialCapacity = 64
  private[kernel] val None: Long = -1L
}

/**
 * The first rows of a frame of several pieces, from the first rows of each piece. Cost: a look-up
 * for each value of a piece and each piece before it. Guarded by PiecesSuite.
 */
final class FirstRowsOfPieces(tallies: Array[Tally], pieces: Array[FirstSeen]) extends FirstRows {
  import FirstSeen.None

  override def from(position: Long): Long = {
    var i = 0
    while (i < pieces.length) {
      var row = pieces(i).from(position)
      while (row >= 0L) {
        if (!isSeenBefore(row, i)) return row
        row = pieces(i).from(row + 1)
      }
      i += 1
    }
    None
  }

  override def first(values: Tally, code: Int): Long = {
    var i = 0
    var row = None
    while (i < pieces.length && row < 0L) {
      row = pieces(i).first(values, code)
      i += 1
    }
    row
  }

  private def isSeenBefore(row: Long, piece: Int): Boolean = {
    var i = 0
    while (i < piece && tallies(i).codeOf(row) < 0) i += 1
    i < piece
  }
}

package io.muntin.kernel.sums

import io.muntin.kernel.{Abilities, Accumulator, Followed, PieceCombiner}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory

/** bit_and or bit_or of the non-null values of a frame. */
abstract class MergedBits extends Accumulator {

  /** Returns the number of non-null values. */
  def count: Long

  def value: Long
}

/**
 * bit_and and bit_or of the frame's non-null values: two stacks, block by block, as in
 * SlidingExtreme, of values instead of positions.
 *
 * Cost per row: four operations, amortised; 8 bytes for each row of a block, and for each block.
 * Guarded by BitsSuite.
 */
final class BitMerge(
    memory: Memory,
    column: LongColumn,
    and: Boolean,
    block: Int = BitMerge.Block
) extends MergedBits
    with Followed {
  private val identity = if (and) -1L else 0L
  // For each row until `blockEnd`: the merged values from it until mid.
  private var suffix = new Array[Long](BitMerge.InitialCapacity)
  private var mask = suffix.length - 1
  private var lo = 0L
  private var blockEnd = 0L
  private var mid = 0L
  private var hi = 0L
  private var newest = identity
  private var present = 0L
  // The merged values of the rows after all others.
  private var following = identity

  // Blocks begin at `origin` and every `block` rows. For each block after the first: the merged
  // values from its start until mid.
  private var origin = 0L
  private var ofBlocks = new Array[Long](0)

  memory.acquire(8L * suffix.length)

  override def count: Long = present

  override def value: Long = {
    val merged = merge(newest, following)
    if (lo < mid) merge(suffix(lo.toInt & mask), merged) else merged
  }

  override def clear(): Unit = {
    lo = hi
    mid = hi
    blockEnd = hi
    newest = identity
    following = identity
    present = 0L
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) {
      lo = from
      mid = from
      blockEnd = from
      newest = identity
    }
    newest = taken(newest, from, until)
    hi = until
  }

  override def follow(from: Long, until: Long): Unit = following = taken(following, from, until)

  private def taken(before: Long, from: Long, until: Long): Long = {
    var merged = before
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        merged = merge(merged, column(p))
        present += 1
      }
      p += 1
    }
    merged
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) present -= 1
      p += 1
    }
    lo = until
    if (until >= mid) turnOver()
    else if (until >= blockEnd) findSuffixes(((until - origin) / block).toInt)
  }

  /** Sets mid to hi, and computes the merged values of all rows before it. */
  private def turnOver(): Unit = {
    val others = if (hi - lo <= block) 0 else ((hi - lo - 1L) / block).toInt
    // Before any change: memory may be refused.
    makeRoom(math.min(block.toLong, hi - lo).toInt, others)
    var merged = identity
    var p = hi - 1
    var i = others - 1
    while (i >= 0) {
      val from = lo + (i + 1L) * block
      while (p >= from) {
        if (!column.isNull(p)) merged = merge(merged, column(p))
        p -= 1
      }
      ofBlocks(i) = merged
      i -= 1
    }
    origin = lo
    mid = hi
    newest = identity
    findSuffixes(0)
  }

  /** Computes the suffixes of the block that contains the oldest row. */
  private def findSuffixes(number: Int): Unit = {
    val next = origin + (number + 1L) * block
    blockEnd = math.min(next, mid)
    var merged = if (next < mid) ofBlocks(number) else identity
    var p = blockEnd - 1
    while (p >= lo) {
      if (!column.isNull(p)) merged = merge(merged, column(p))
      suffix(p.toInt & mask) = merged
      p -= 1
    }
  }

  private def merge(a: Long, b: Long): Long = if (and) a & b else a | b

  // Called only before all suffixes are recomputed, so values are not copied.
  private def makeRoom(rows: Int, others: Int): Unit = {
    if (rows > suffix.length) {
      suffix = allocate(suffix, rows)
      mask = suffix.length - 1
    }
    if (others > ofBlocks.length) ofBlocks = allocate(ofBlocks, others)
  }

  private def allocate(array: Array[Long], needed: Int): Array[Long] = {
    val capacity = Integer.highestOneBit(needed * 2 - 1)
    memory.acquire(8L * capacity)
    memory.release(8L * array.length)
    new Array[Long](capacity)
  }

  override def close(): Unit = memory.release(8L * (suffix.length + ofBlocks.length))
}

object BitMerge {
  val abilities: Abilities = Abilities("two stacks of bits", follows = true)

  /** The number of rows with suffixes at any time. */
  val Block: Int = 4096

  private val InitialCapacity = 64
}

/** bit_and or bit_or over a frame of several pieces. Guarded by PiecesSuite. */
final class BitsOfPieces(pieces: Array[BitMerge], and: Boolean) extends MergedBits
    with PieceCombiner {
  override def count: Long = {
    var sum = 0L
    var i = 0
    while (i < pieces.length) {
      sum += pieces(i).count
      i += 1
    }
    sum
  }

  override def value: Long = {
    var merged = if (and) -1L else 0L
    var i = 0
    while (i < pieces.length) {
      merged = if (and) merged & pieces(i).value else merged | pieces(i).value
      i += 1
    }
    merged
  }
}

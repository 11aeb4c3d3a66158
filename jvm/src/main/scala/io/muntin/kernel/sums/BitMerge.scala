package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Accumulator, Followed, OfPieces, Saved}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory

/** bit_and or bit_or of the values of a frame that are not null. */
abstract class MergedBits extends Accumulator {

  /** How many values are not null. */
  def count: Long

  def value: Long
}

/**
 * bit_and and bit_or of the frame's values that are not null: two stacks, as in SlidingExtreme, of
 * values instead of positions.
 *
 * Cost per row: three operations, amortised; 8 bytes where rows leave. Guarded by BitsSuite.
 */
final class BitMerge(memory: Memory, column: LongColumn, and: Boolean) extends MergedBits
    with Followed
    with Saved {
  private val identity = if (and) -1L else 0L
  private var suffix = new Array[Long](BitMerge.InitialCapacity)
  private var mask = suffix.length - 1
  private var lo = 0L
  private var mid = 0L
  private var hi = 0L
  // Where no row leaves, positions may begin anew.
  private var isEmpty = true
  private var newest = identity
  private var present = 0L
  // Of the rows behind all others.
  private var behind = identity

  memory.acquire(8L * suffix.length)

  override def count: Long = present

  override def value: Long = {
    val merged = merge(newest, behind)
    if (lo < mid) merge(suffix(lo.toInt & mask), merged) else merged
  }

  override def takesAnyOrder: Boolean = true

  // No row has left: there are no suffixes.
  override def save(out: DataOutput): Unit = {
    out.writeLong(newest)
    out.writeLong(present)
  }

  override def restore(in: DataInput): Unit = {
    // As if what was saved were one row before the first.
    lo = -1L
    mid = -1L
    hi = 0L
    isEmpty = false
    newest = in.readLong()
    behind = identity
    present = in.readLong()
  }

  override def clear(): Unit = {
    lo = hi
    mid = hi
    isEmpty = true
    newest = identity
    behind = identity
    present = 0L
  }

  override def enter(from: Long, until: Long): Unit = {
    if (isEmpty) {
      lo = from
      mid = from
      newest = identity
      isEmpty = false
    }
    newest = taken(newest, from, until)
    hi = until
  }

  override def follow(from: Long, until: Long): Unit = behind = taken(behind, from, until)

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
    isEmpty = lo == hi
    if (until >= mid) turnOver()
  }

  private def turnOver(): Unit = {
    makeRoom(hi - lo)
    var merged = identity
    var p = hi - 1
    while (p >= lo) {
      if (!column.isNull(p)) merged = merge(merged, column(p))
      suffix(p.toInt & mask) = merged
      p -= 1
    }
    mid = hi
    newest = identity
  }

  private def merge(a: Long, b: Long): Long = if (and) a & b else a | b

  // Called only where every suffix is about to be computed anew: nothing has to be moved.
  private def makeRoom(rows: Long): Unit =
    if (rows > suffix.length) {
      val capacity = java.lang.Long.highestOneBit(rows * 2 - 1).toInt
      memory.acquire(8L * capacity)
      memory.release(8L * suffix.length)
      suffix = new Array[Long](capacity)
      mask = capacity - 1
    }

  override def close(): Unit = memory.release(8L * suffix.length)
}

object BitMerge {
  private val InitialCapacity = 64
}

/** The same of a frame of several pieces. Guarded by PiecesSuite. */
final class BitsOfPieces(pieces: Array[BitMerge], and: Boolean) extends MergedBits with OfPieces {
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

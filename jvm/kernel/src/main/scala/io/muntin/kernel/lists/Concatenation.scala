package io.muntin.kernel.lists

import io.muntin.kernel.{Abilities, Accumulator}
import io.muntin.kernel.columns.{Column, IntRing}
import io.muntin.kernel.memory.Memory

/**
 * The values of a frame as bytes, in the order of its rows, with a delimiter between them: listagg.
 * Nulls are skipped.
 *
 * One array holds the values, each followed by the delimiter. The frame's values are one slice of
 * it, and each result is the slice without its last delimiter. When the slice reaches the end of
 * the array and takes at most half of it, it is moved to the front. So the cost of a move is
 * amortised over as many new bytes.
 *
 * Cost per row: its bytes, copied at most twice, amortised; if rows leave, 4 more bytes. Guarded by
 * ConcatenationSuite.
 */
final class Concatenation(
    memory: Memory,
    column: Column,
    source: Concatenation.Source,
    delimiter: Array[Byte],
    evicts: Boolean
) extends Accumulator {
  import Concatenation._

  private var slots = new Array[Byte](InitialCapacity)
  // For each row of the frame, the number of its bytes, without the delimiter.
  private val lengths: IntRing = if (evicts) new IntRing(memory) else null
  private var first = 0
  private var next = 0
  private var present = 0L
  private var lo = 0L
  private var hi = 0L

  memory.acquire(slots.length.toLong)

  /** Returns the number of non-null values. */
  def count: Long = present

  /** Returns the array with the frame's slice; valid until the frame changes. */
  def bytes: Array[Byte] = slots

  /** Returns the start of the slice. */
  def start: Int = first

  /** Returns the length of the slice; call it only if there are values. */
  def length: Int = next - first - delimiter.length

  override def clear(): Unit = {
    lo = hi
    first = 0
    next = 0
    present = 0L
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) {
      lo = from
      hi = from
    }
    if (evicts) lengths.reserve(lo, hi, until)
    var p = from
    while (p < until) {
      if (column.isNull(p)) {
        if (evicts) lengths(p) = Absent
      } else {
        val size = source.length(p)
        makeRoom(size.toLong + delimiter.length)
        source.copy(p, slots, next)
        System.arraycopy(delimiter, 0, slots, next + size, delimiter.length)
        next += size + delimiter.length
        if (evicts) lengths(p) = size
        present += 1
      }
      p += 1
      hi = p
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    if (!evicts) throw new UnsupportedOperationException("rows do not leave a growing frame")
    var p = from
    while (p < until) {
      val size = lengths(p)
      if (size != Absent) {
        first += size + delimiter.length
        present -= 1
      }
      p += 1
    }
    lo = until
    shrink()
  }

  private def makeRoom(size: Long): Unit =
    if (size > slots.length - next) {
      val needed = next - first + size
      if (needed > MaxCapacity) {
        throw new IllegalStateException(s"a frame holds more than $MaxCapacity bytes")
      }
      // Moved within the array if half of it is then free.
      val newCapacity = capacityFor(needed)
      if (newCapacity > slots.length) {
        memory.acquire(newCapacity.toLong)
        memory.release(slots.length.toLong)
        moveTo(new Array[Byte](newCapacity))
      } else moveTo(slots)
    }

  // Keeps an array that was once a quarter full: most of its bytes have left since.
  private def shrink(): Unit =
    if (slots.length > InitialCapacity && next - first < slots.length / 16) {
      val capacity = capacityFor((next - first).toLong)
      // Requests no memory, because memory cannot be refused while it is released.
      memory.release((slots.length - capacity).toLong)
      moveTo(new Array[Byte](capacity))
    }

  private def moveTo(target: Array[Byte]): Unit = {
    System.arraycopy(slots, first, target, 0, next - first)
    next -= first
    first = 0
    slots = target
  }

  override def close(): Unit = {
    memory.release(slots.length.toLong)
    if (evicts) lengths.close()
  }
}

object Concatenation {
  val abilities: Abilities = Abilities("slice of bytes")

  private val InitialCapacity = 256
  private val MaxCapacity = Int.MaxValue - 16
  private val Absent = -1

  private def capacityFor(needed: Long): Int = {
    val twice = java.lang.Long.highestOneBit(math.max(1L, needed) * 2 - 1) * 2
    math.min(MaxCapacity.toLong, math.max(InitialCapacity.toLong, twice)).toInt
  }

  /** The values of a column as bytes; not called for nulls. */
  abstract class Source {
    def length(position: Long): Int
    def copy(position: Long, target: Array[Byte], offset: Int): Unit
  }
}

package io.muntin.kernel

import java.util

/**
 * The distinct values in a frame, how many of its rows hold each, and a small number for each: its
 * code. What is made of distinct values (their count, their sum, the most frequent, their set) listens
 * to it; one tally serves all that ask for the same values.
 *
 * A value is a row's values in `columns`, and is the same where SQL takes them for the same. With
 * `skipsNulls` a row with a null in one of them has no value; else null is a value like others. A row
 * for which `marks` is null has none either way.
 *
 * An open-addressing table of codes with linear probing, whose entries move back when one is taken
 * out; the values of the codes lie in cells of the tally's own, so a frame that only grows needs no
 * rows. Where rows leave, the code of each row is kept, so that no value is looked up twice. Codes of
 * values that have left are given to others. With `anyOrder` rows may come and go in any order; the
 * value of a row that leaves is looked up again.
 *
 * Cost per row: one probe, amortised, and one step back; 4 bytes per row in the frame where rows
 * leave, about 40 and the value itself per distinct value. Source: Wesley and Xu, "Incremental
 * Computation of Common Windowed Holistic Aggregates" (VLDB 2016), with counts. Guarded by TallySuite.
 */
final class Tally(
    memory: Memory,
    columns: Array[Column],
    marks: Option[Column],
    skipsNulls: Boolean,
    evicts: Boolean,
    override val anyOrder: Boolean = false
) extends Accumulator {
  import Tally._

  private val mark: Column = marks.orNull
  private val cells: Array[Column] = columns.map(_.cells(0))
  private val codes: IntRing = if (evicts && !anyOrder) new IntRing(memory) else null
  private var listeners = Array.empty[Listener]

  // A slot holds a code + 1, or 0.
  private var table = new Array[Int](InitialCapacity)
  private var hashes = new Array[Int](InitialCapacity / 2)
  private var counts = new Array[Long](InitialCapacity / 2)
  // The first code that was never given since the last clear; a chain, through `hashes`, of those
  // that were given and have come back.
  private var fresh = 0
  private var returned = NoCode
  private var distinct = 0

  private var lo = 0L
  private var hi = 0L

  memory.acquire(bytesOf(table.length))

  /** How many distinct values are in the frame. */
  def size: Int = distinct

  /** Every code that is in use is below this. */
  def codeLimit: Int = fresh

  /** How many rows in the frame hold the value of a code. */
  def count(code: Int): Long = if (code < fresh) counts(code) else 0L

  /** Where the values of codes lie: the code is the position. One column for each that is read. */
  def values(index: Int): Column = cells(index)

  /** From now on `listener` hears which values come and go. */
  def tell(listener: Listener): Unit = listeners = listeners :+ listener

  override def readsFrame: Boolean = !anyOrder

  private def codeOf(rows: Array[Column], position: Long): Int = {
    val hash = hashOf(rows, position)
    var slot = hash & (table.length - 1)
    while (table(slot) != 0) {
      val code = table(slot) - 1
      if (hashes(code) == hash && isSame(rows, code, position)) return code
      slot = (slot + 1) & (table.length - 1)
    }
    NoCode
  }

  /** The code of the value of a row that need not be in the frame; below 0 where the frame has none. */
  def codeOf(position: Long): Int = codeOf(columns, position)

  /** The code here of the value that has `code` in `other`; below 0 where the frame has none. */
  def codeOf(other: Tally, code: Int): Int = codeOf(other.cells, code.toLong)

  override def clear(): Unit = {
    forgetValues()
    lo = hi
    var i = 0
    while (i < listeners.length) {
      listeners(i).clear()
      i += 1
    }
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) lo = from
    if (codes != null) codes.reserve(lo, from, until)
    var p = from
    while (p < until) {
      val code = if (hasValue(p)) found(p) else NoCode
      if (codes != null) codes(p) = code
      if (code >= 0) {
        counts(code) += 1
        var i = 0
        while (i < listeners.length) {
          listeners(i).entered(code, p)
          i += 1
        }
      }
      p += 1
      hi = p
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      val code = if (codes != null) codes(p) else if (hasValue(p)) codeOf(p) else NoCode
      if (code >= 0) {
        counts(code) -= 1
        var i = 0
        while (i < listeners.length) {
          listeners(i).left(code, p)
          i += 1
        }
        if (counts(code) == 0L) remove(code)
      }
      p += 1
    }
    lo = until
  }

  private def hasValue(position: Long): Boolean =
    (mark == null || !mark.isNull(position)) && !(skipsNulls && hasNull(position))

  private def hasNull(position: Long): Boolean = {
    var i = 0
    while (i < columns.length && !columns(i).isNull(position)) i += 1
    i < columns.length
  }

  /** The code of a row's value, which is given one if it has none. */
  private def found(position: Long): Int = {
    val hash = hashOf(columns, position)
    var slot = hash & (table.length - 1)
    while (table(slot) != 0) {
      val code = table(slot) - 1
      if (hashes(code) == hash && isSame(columns, code, position)) return code
      slot = (slot + 1) & (table.length - 1)
    }
    add(position, hash)
  }

  private def add(position: Long, hash: Int): Int = {
    if (2 * (distinct + 1) > table.length) grow()
    val code = if (returned >= 0) returned else fresh
    var i = 0
    while (i < cells.length) {
      val cell = cells(i)
      if (cell.size == code) cell.appendNull()
      cell.set(code.toLong, columns(i), position)
      i += 1
    }
    // Only now: memory for the values may be refused.
    if (returned >= 0) returned = hashes(code) else fresh += 1
    hashes(code) = hash
    counts(code) = 0L
    insert(code)
    distinct += 1
    code
  }

  private def insert(code: Int): Unit = {
    var slot = hashes(code) & (table.length - 1)
    while (table(slot) != 0) slot = (slot + 1) & (table.length - 1)
    table(slot) = code + 1
  }

  private def remove(code: Int): Unit = {
    val mask = table.length - 1
    var hole = slotOf(code)
    var slot = (hole + 1) & mask
    while (table(slot) != 0) {
      // Into the hole goes what may not lie behind it: an entry whose home is not after the hole.
      val home = hashes(table(slot) - 1) & mask
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        table(hole) = table(slot)
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    table(hole) = 0
    var i = 0
    while (i < cells.length) {
      cells(i).unset(code.toLong)
      i += 1
    }
    hashes(code) = returned
    returned = code
    distinct -= 1
  }

  // Does not stop at empty slots: entries before this one may be gone already.
  private def slotOf(code: Int): Int = {
    var slot = hashes(code) & (table.length - 1)
    while (table(slot) != code + 1) slot = (slot + 1) & (table.length - 1)
    slot
  }

  private def hashOf(rows: Array[Column], position: Long): Int = {
    var hash = 0
    var i = 0
    while (i < rows.length) {
      val column = rows(i)
      hash = hash * 31 + (if (column.isNull(position)) 0 else column.hash(position))
      i += 1
    }
    hash
  }

  private def isSame(rows: Array[Column], code: Int, position: Long): Boolean = {
    var i = 0
    while (i < rows.length && isSame(rows(i), position, cells(i), code.toLong)) i += 1
    i == rows.length
  }

  private def isSame(column: Column, position: Long, cell: Column, code: Long): Boolean =
    if (column.isNull(position)) cell.isNull(code)
    else !cell.isNull(code) && column.compareTo(position, cell, code) == 0

  // By code where they are few: one large partition must not make all small ones after it slow.
  private def forgetValues(): Unit = {
    if (fresh > (table.length >> 3)) util.Arrays.fill(table, 0)
    else {
      var code = 0
      while (code < fresh) {
        if (counts(code) > 0L) table(slotOf(code)) = 0
        code += 1
      }
    }
    var i = 0
    while (i < cells.length) {
      cells(i).clear()
      i += 1
    }
    fresh = 0
    returned = NoCode
    distinct = 0
  }

  private def grow(): Unit = {
    val capacity = table.length * 2
    memory.acquire(bytesOf(capacity))
    memory.release(bytesOf(table.length))
    table = new Array[Int](capacity)
    hashes = util.Arrays.copyOf(hashes, capacity / 2)
    counts = util.Arrays.copyOf(counts, capacity / 2)
    var code = 0
    while (code < fresh) {
      if (counts(code) > 0L) insert(code)
      code += 1
    }
  }

  // The table, and by code a hash and a count, of which there are half as many.
  private def bytesOf(capacity: Int): Long = 4L * capacity + 12L * (capacity / 2)

  override def close(): Unit = {
    cells.foreach(_.close())
    if (codes != null) codes.close()
    listeners.foreach(_.close())
    memory.release(bytesOf(table.length))
  }
}

object Tally {
  private val InitialCapacity = 64
  private val NoCode = -1

  /** Hears of each row that has a value, as it enters and as it leaves. */
  trait Listener {

    /** Row `position` has entered; the value's count has its row in it: 1 for a new value. */
    def entered(code: Int, position: Long): Unit

    /** Row `position` has left; the value's count is without it: 0 for a value that is gone. */
    def left(code: Int, position: Long): Unit

    def clear(): Unit

    def close(): Unit
  }
}

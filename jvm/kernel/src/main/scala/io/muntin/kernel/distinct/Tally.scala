package io.muntin.kernel.distinct

import java.util

import io.muntin.kernel.{Abilities, Accumulator}
import io.muntin.kernel.columns.{Column, IntColumn, LongBlocks, Longs}
import io.muntin.kernel.memory.{Memory, Paged, Reserve}
import io.muntin.kernel.ranks.{SortedBlocks, SortedKeys}

/**
 * The distinct values in a frame, how many of its rows hold each, and a small number for each: its
 * code. What is made of distinct values (their count, their sum, the most frequent, their set)
 * listens to it; one tally serves all that ask for the same values.
 *
 * A value is a row's values in `columns`, and is the same where SQL takes them for the same. With
 * `skipsNulls` a row with a null in one of them has no value; else null is a value like others. A
 * row for which `marks` is null has none either way.
 *
 * An open-addressing table of codes with linear probing, whose entries move back when one is taken
 * out; the values of the codes lie in cells of the tally's own, so a frame that only grows needs no
 * rows. Where rows leave, the code of each row is kept, so that no value is looked up twice. Codes
 * of values that have left are given to others. With `anyOrder` rows may come and go in any order;
 * the value of a row that leaves is looked up again.
 *
 * Where memory is short and the task has a disk, each part goes there by itself: the codes of rows,
 * which are read in order, as any column; cells and counts, by code; and in the end the table,
 * which then is an index: hashes, each with a code behind it, in order (SortedKeys); the blocks
 * that were not read recently are on disk. Codes do not change when blocks are evicted.
 *
 * Cost per row: one probe, amortised, and one step back; 4 to 10 bytes per row in the frame where
 * rows leave, about 40 and the value itself per distinct value. On disk, for each of index, cells
 * and counts, where what a row needs is not in memory, a read and most often a write of 1 to 5 KiB,
 * as it comes and as it goes: values that come again and again stay, and of values that come once,
 * whose codes are given in order, only the index is looked at here and there, 8 to 16 bytes for
 * each. Source: Wesley and Xu, "Incremental Computation of Common Windowed Holistic Aggregates"
 * (VLDB 2016), with counts. Guarded by TallySuite and TallyOnDiskSuite.
 */
final class Tally(
    memory: Memory,
    columns: Array[Column],
    marks: Option[Column],
    skipsNulls: Boolean,
    evicts: Boolean,
    override val anyOrder: Boolean = false
) extends Accumulator
    with Paged {
  import Tally._

  private val mark: Column = marks.orNull
  private val cells: Array[Column] = columns.map(_.cells(0))
  private val codes: IntColumn = if (evicts && !anyOrder) new IntColumn(memory) else null
  private var listeners = Array.empty[Listener]

  // A slot holds a code + 1, or 0; by code, its hash.
  private var table = new Array[Int](InitialCapacity)
  private var hashes = new Array[Int](InitialCapacity / 2)
  // Of a code that has come back: the next of these, as `chained` has it.
  private val counts = new Longs(memory)
  // The first code that was never given since the last clear; the first of those that were given
  // and have come back.
  private var fresh = 0
  private var returned = NoCode
  private var distinct = 0

  private var lo = 0L
  private var hi = 0L

  // In the place of the table, which is as small as can be then, while `isIndexed`.
  private val paging = memory.paging.orNull
  private var isIndexed = false
  private var reserve: Reserve = null
  private var index: SortedKeys = null

  memory.acquire(bytesOf(table.length))
  if (codes != null) codes.addReader(new Column.Reader { override def floor: Long = lo })
  if (paging != null) {
    paging.add(this)
    cells.foreach(_.scattersTo(paging))
    if (codes != null) codes.spillTo(paging)
  }

  /** How many distinct values are in the frame. */
  def size: Int = distinct

  /** Every code that is in use is below this. */
  def codeLimit: Int = fresh

  /** How many rows in the frame hold the value of a code. */
  def count(code: Int): Long = if (code < fresh) math.max(0L, counts(code)) else 0L

  /** The same of a code whose value is in the frame, or has just left. */
  private[distinct] def countInUse(code: Int): Long = counts(code)

  /** Where the values of codes lie: the code is the position. One column for each that is read. */
  def values(index: Int): Column = cells(index)

  /** From now on `listener` is called for each value that enters or leaves. */
  def addListener(listener: Listener): Unit = listeners = listeners :+ listener

  override def readsFrame: Boolean = !anyOrder

  private def codeOf(rows: Array[Column], position: Long): Int =
    codeOf(rows, position, hashOf(rows, position))

  private def codeOf(rows: Array[Column], position: Long, hash: Int): Int = {
    if (isIndexed) return indexed(rows, position, hash)
    var slot = hash & (table.length - 1)
    while (table(slot) != 0) {
      val code = table(slot) - 1
      if (hashes(code) == hash) {
        if (isSame(rows, code, position)) return code
        // Memory for what was on disk may have been taken from here.
        if (isIndexed) return indexed(rows, position, hash)
      }
      slot = (slot + 1) & (table.length - 1)
    }
    NoCode
  }

  private def indexed(rows: Array[Column], position: Long, hash: Int): Int = {
    val before = entry(hash, 0) - 1L
    var next = index.after(before)
    while (next >= 0L && next - before <= MaxCode) {
      val code = next.toInt
      if (isSame(rows, code, position)) return code
      next = index.after(next)
    }
    NoCode
  }

  /**
   * The code of the value of a row that need not be in the frame; below 0 where the frame has none.
   */
  def codeOf(position: Long): Int = codeOf(columns, position)

  /** The code here of the value that has `code` in `other`; below 0 where the frame has none. */
  def codeOf(other: Tally, code: Int): Int = codeOf(other.cells, code.toLong)

  override def clear(): Unit = {
    forgetValues()
    lo = hi
    if (codes != null) codes.clear(hi)
    var i = 0
    while (i < listeners.length) {
      listeners(i).clear()
      i += 1
    }
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) {
      lo = from
      if (codes != null) codes.clear(from)
    }
    var p = from
    while (p < until) {
      val code = if (hasValue(p)) findCode(p) else NoCode
      if (codes != null) codes.append(code)
      if (code >= 0) {
        counts.add(code, 1L): Unit
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
        val count = counts.add(code, -1L)
        var i = 0
        while (i < listeners.length) {
          listeners(i).left(code, p)
          i += 1
        }
        if (count == 0L) remove(code)
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
  private def findCode(position: Long): Int = {
    val hash = hashOf(columns, position)
    val code = codeOf(columns, position, hash)
    if (code >= 0) code else add(position, hash)
  }

  private def add(position: Long, hash: Int): Int = {
    if (!isIndexed && 2 * (distinct + 1) > table.length) grow()
    val code = if (returned >= 0) returned else fresh
    var i = 0
    while (i < cells.length) {
      val cell = cells(i)
      if (cell.size == code) cell.appendNull()
      cell.set(code.toLong, columns(i), position)
      i += 1
    }
    if (returned < 0) counts.makeRoom(code)
    // Only now: memory for the values may be refused, and taken from the table.
    val next = if (returned >= 0) chained(counts(code)).toInt else NoCode
    counts(code) = 0L
    if (isIndexed) index.add(entry(hash, code))
    else {
      hashes(code) = hash
      insert(code)
    }
    if (returned >= 0) returned = next else fresh += 1
    distinct += 1
    code
  }

  private def insert(code: Int): Unit = {
    var slot = hashes(code) & (table.length - 1)
    while (table(slot) != 0) slot = (slot + 1) & (table.length - 1)
    table(slot) = code + 1
  }

  private def remove(code: Int): Unit = {
    if (!isIndexed) takeOut(code)
    else if (!index.remove(entry(hashOf(cells, code.toLong), code))) {
      throw new IllegalStateException("a value leaves that has not entered")
    }
    var i = 0
    while (i < cells.length) {
      cells(i).unset(code.toLong)
      i += 1
    }
    counts(code) = chained(returned.toLong)
    returned = code
    distinct -= 1
  }

  private def takeOut(code: Int): Unit = {
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
    if (isIndexed) {
      index.clear()
      isIndexed = false
    } else if (fresh > (table.length >> 3) || counts.isCut) util.Arrays.fill(table, 0)
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
    counts.clear()
    fresh = 0
    returned = NoCode
    distinct = 0
  }

  private def grow(): Unit = {
    val capacity = table.length * 2
    if (paging != null && paging.isForced && canTurn) turn()
    else {
      val isGranted = paging != null && paging.ask(memory, bytesOf(capacity))(!isIndexed)
      if (!isIndexed) {
        // No block is left to evict.
        if (!isGranted) memory.acquire(bytesOf(capacity))
        widen(capacity)
      }
    }
  }

  private def widen(capacity: Int): Unit = {
    memory.release(bytesOf(table.length))
    val before = table
    table = new Array[Int](capacity)
    hashes = util.Arrays.copyOf(hashes, capacity / 2)
    var slot = 0
    while (slot < before.length) {
      if (before(slot) != 0) insert(before(slot) - 1)
      slot += 1
    }
  }

  override private[kernel] def isReadInOrder: Boolean = false

  // Once it is an index, the index says for itself.
  override private[kernel] def spareBytes: Long =
    if (canTurn) bytesOf(table.length) / 2 else 0L

  override private[kernel] def giveUp(): Boolean = canTurn && {
    turn()
    true
  }

  private def canTurn: Boolean = paging != null && !isIndexed && {
    val blockSize = LongBlocks.scatteredSize(paging)
    2L * table.length - bytesOf(InitialCapacity) >= SortedBlocks.fewestBytes(
      table.length / 2,
      blockSize
    )
  }

  /** Puts an index in the place of the table, without asking for memory. */
  private def turn(): Unit = {
    if (index == null) {
      reserve = new Reserve(memory, () => index.giveUp())
      index = new SortedKeys(reserve, LongBlocks.scatteredSize(paging))
    }
    val entries = new Array[Long](table.length / 2)
    var count = 0
    var slot = 0
    while (slot < table.length) {
      if (table(slot) != 0) {
        val code = table(slot) - 1
        entries(count) = entry(hashes(code), code)
        count += 1
      }
      slot += 1
    }
    // As many bytes as the table had are those of the entries for a while, and a third is the
    // index's.
    val freed = bytesOf(table.length) - bytesOf(InitialCapacity)
    val held = 8L * entries.length
    table = new Array[Int](InitialCapacity)
    hashes = new Array[Int](InitialCapacity / 2)
    isIndexed = true
    util.Arrays.sort(entries, 0, count)
    reserve.within(freed - held) {
      var i = 0
      while (i < count) {
        index.add(entries(i))
        i += 1
      }
    }
    memory.release(held)
  }

  // The table, and a hash per code; there are half as many codes as slots.
  private def bytesOf(capacity: Int): Long = 4L * capacity + 4L * (capacity / 2)

  override def close(): Unit = {
    cells.foreach(_.close())
    if (codes != null) codes.close()
    listeners.foreach(_.close())
    counts.close()
    if (index != null) index.close()
    memory.release(bytesOf(table.length))
  }
}

object Tally {
  val abilities: Abilities = Abilities("tally of values")

  private val InitialCapacity = 64
  private val NoCode = -1
  private val MaxCode = 1L << 31

  /** A link to a code, or to none, in the place of a count; and back. */
  private def chained(next: Long): Long = -2L - next

  /** In the order of hashes; not negative. */
  private def entry(hash: Int, code: Int): Long = (hash & Int.MaxValue).toLong << 32 | code.toLong

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

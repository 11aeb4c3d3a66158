package io.muntin.kernel.distinct

import java.util

import io.muntin.kernel.{Abilities, Accumulator}
import io.muntin.kernel.columns.{Column, IntColumn, LongBlocks, Longs}
import io.muntin.kernel.memory.{Memory, Paged, Reserve}
import io.muntin.kernel.ranks.{SortedBlocks, SortedKeys}

/**
 * Counts the rows of each distinct value in a frame, and numbers the values with small codes.
 * Aggregates over distinct values (count, sum, most frequent value, set) are its listeners. One
 * tally serves all aggregates of the same values.
 *
 * A value consists of a row's values in `columns`, and values are equal if SQL treats them as
 * equal. With `skipsNulls`, a row with a null in one of the columns has no value; else null is a
 * value. A row for which `marks` is null never has a value.
 *
 * An open-addressing table of codes with linear probing; when an entry is removed, later entries
 * move back. The values are copied into the tally's cells, by code, so a frame that only grows does
 * not retain rows. If rows leave, the code of each row is stored, so each value is looked up only
 * once. Codes of values that have left are reused. With `anyOrder`, rows may enter and leave in any
 * order; the value of a row that leaves is looked up again.
 *
 * If memory is short and the task has a disk, each part is spilled separately: the codes of rows,
 * which are read in order, like any column; the cells and counts, by code; and finally the table.
 * The table then becomes an index of sorted hashes with their codes (SortedKeys), whose blocks are
 * spilled if they were not read recently. Codes do not change when blocks are evicted.
 *
 * Cost per row: one probe, amortised, and one step back; 4 to 10 bytes per row in the frame if rows
 * leave; about 40 bytes and the value itself per distinct value. On disk: for each of index, cells
 * and counts that is not in memory, a read and usually a write of 1 to 5 KiB, when the row enters
 * and when it leaves. Values that recur stay in memory. For values that occur once, codes are
 * assigned in order, so only the index is accessed randomly, 8 to 16 bytes per value. Source:
 * Wesley and Xu, "Incremental Computation of Common Windowed Holistic Aggregates" (VLDB 2016), with
 * counts. Guarded by TallySuite and TallyOnDiskSuite.
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

  // A slot holds a code + 1, or 0. `hashes` has the hash of each code.
  private var table = new Array[Int](InitialCapacity)
  private var hashes = new Array[Int](InitialCapacity / 2)
  // For an unused code: the next unused code, encoded by `chained`.
  private val counts = new Longs(memory)
  // The least code not used since the last clear, and the first of the codes to reuse.
  private var fresh = 0
  private var returned = NoCode
  private var distinct = 0

  private var lo = 0L
  private var hi = 0L

  // While `isIndexed`, the index replaces the table, which then has its minimum size.
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

  /** Returns the number of distinct values in the frame. */
  def size: Int = distinct

  /** An upper bound of the codes in use, exclusive. */
  def codeLimit: Int = fresh

  /** Returns how many rows in the frame hold the value of a code. */
  def count(code: Int): Long = if (code < fresh) math.max(0L, counts(code)) else 0L

  /** Like `count`, for a code whose value is in the frame or has just left. */
  private[distinct] def countInUse(code: Int): Long = counts(code)

  /** Returns the values of one of the columns, at the positions of their codes. */
  def values(index: Int): Column = cells(index)

  /** Adds a listener, which is called for each row with a value that enters or leaves. */
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
        // Reading a spilled value may have turned the table into an index, to free memory.
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
   * Returns the code of the value of a row, which need not be in the frame; negative if the frame
   * does not hold the value.
   */
  def codeOf(position: Long): Int = codeOf(columns, position)

  /**
   * Returns this tally's code of the value that has `code` in `other`; negative if the frame does
   * not hold the value.
   */
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

  /** Returns the code of a row's value, and assigns a code to a new value. */
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
    // Last: memory for the values may be refused, or taken from the table.
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
      throw new IllegalStateException("the value that leaves has not entered")
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
      // Moves an entry into the hole if the entry's home slot is not after the hole.
      val home = hashes(table(slot) - 1) & mask
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        table(hole) = table(slot)
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    table(hole) = 0
  }

  // Does not stop at empty slots: entries before this code may be removed already.
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

  // Clears entry by entry if they are few: a single large partition must not make all later small
  // partitions slow.
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

  // An index reports its bytes itself.
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

  /** Replaces the table by an index, without requesting memory. */
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
    // The freed bytes hold the entries temporarily; the index takes a third.
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

  // Returns the bytes of the table, and of a hash per code. There are half as many codes as slots.
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

  /** Encodes a link to a code, or to no code, in place of a count, and decodes it. */
  private def chained(next: Long): Long = -2L - next

  /** Returns a non-negative entry. Entries sort by hash. */
  private def entry(hash: Int, code: Int): Long = (hash & Int.MaxValue).toLong << 32 | code.toLong

  /** Is called for each row with a value, when it enters and when it leaves. */
  trait Listener {

    /**
     * Row `position` has entered. The value's count includes it: the count is 1 for a new value.
     */
    def entered(code: Int, position: Long): Unit

    /**
     * Row `position` has left. The value's count excludes it: the count is 0 for a value that has
     * left.
     */
    def left(code: Int, position: Long): Unit

    def clear(): Unit

    def close(): Unit
  }
}

package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}

import io.muntin.kernel.memory.{Memory, Paged, Paging}

/**
 * The values of one expression, for the rows that some frame still needs: a ring over a primitive
 * array, addressed by row position. Positions count the rows of a partition from 0; position p lies
 * in slot `p & mask`. So the column of a frame of W rows holds W values, never the partition.
 *
 * A column is written once per row, at the end, and read at any position from the lowest floor of
 * its readers up. When it is full it asks the readers for that floor; it grows only while more than
 * three quarters of it are still needed, so that asking is amortised over many rows.
 *
 * After `spillTo`, a column that is refused memory stays as large as it is and goes on in pages:
 * pages that are not read go to disk, and come back when they are read. A column can also give its
 * memory to others (`giveUp`).
 *
 * Cost per row: one store. Guarded by ColumnSuite and PagesSuite.
 */
abstract class Column(memory: Memory, nullable: Boolean) extends Paged {
  protected final var mask: Int = Column.InitialCapacity - 1
  private var nulls: Array[Boolean] = if (nullable) new Array[Boolean](mask + 1) else null
  private var readers: Array[Column.Reader] = Array.empty
  private var base: Long = 0L
  private var end: Long = 0L
  // The position that has no slot yet.
  private var limit: Long = Column.InitialCapacity.toLong
  private var paging: Paging = null
  private var inOrder = true
  // Null as long as all that is needed is in memory.
  private var pages: Pages = null
  // The mask, or -1 where there are pages: looked at for each value, it costs half of what a look
  // at `pages` does.
  private var ring: Int = mask

  memory.acquire(bytesOf(Column.InitialCapacity))

  /** The position that the next append takes. */
  final def size: Long = end

  /** The oldest position that has not been forgotten. */
  final def oldest: Long = base

  final def addReader(reader: Column.Reader): Unit =
    if (!readers.contains(reader)) readers = readers :+ reader

  /** Pages of the column may go to disk. */
  final def spillTo(paging: Paging): Unit = {
    this.paging = paging
    paging.add(this)
  }

  /** Pages of the column may go to disk; it is read and written at random positions. */
  private[kernel] final def scattersTo(paging: Paging): Unit = {
    inOrder = false
    spillTo(paging)
  }

  /**
   * The column stays in memory: some reader reads it at random positions for each result, and each
   * read from disk would take far too long. Called before there are rows.
   */
  final def staysInMemory(): Unit = paging = null

  /** Whether some of its values may be on disk. */
  final def isPaged: Boolean = pages != null

  final def isNullable: Boolean = nulls != null

  final def isNull(position: Long): Boolean =
    nulls != null && nulls(slot(position))

  /** How the values at two positions, neither of them null, compare in SQL's order. */
  def compare(left: Long, right: Long): Int

  /** The same between the value at `left` and one of another column of the same class. */
  def compareTo(left: Long, other: Column, right: Long): Int

  /** A hash of the value at a position, not null: equal where values compare as equal. */
  def hash(position: Long): Int

  /** Begins a partition: forgets every value, keeps the memory of its array. */
  final def clear(): Unit = clear(0L)

  /** The same, where the first value that comes is that of the row at `first`. */
  final def clear(first: Long): Unit = {
    if (pages == null) dropped(base, end) else leavePages()
    base = first
    end = first
    limit = first + mask + 1L
  }

  /** Forgets the value that was appended last. */
  final def takeBack(): Unit = {
    end -= 1
    dropValue(slot(end))
  }

  final def appendNull(): Unit = {
    val slot = nextSlot()
    nulls(slot) = true
    dropValue(slot)
  }

  /** Overwrites the value at `target` by that of another column of the same class. */
  final def set(target: Long, source: Column, position: Long): Unit = {
    val absent = source.isNull(position)
    if (absent) dropValue(slotToWrite(target)) else setValue(target, source, position)
    // Only now: memory for the value may be refused.
    if (nulls != null) nulls(slot(target)) = absent
  }

  /**
   * Puts the values in another order: position i has that which was at `order(i)`. For a column
   * that has all of its values since `clear`.
   */
  final def reorder(order: Array[Int]): Unit = {
    if (base != 0L || pages != null) throw new IllegalStateException("values have been forgotten")
    val bytes = bytesOf(mask + 1)
    memory.acquire(bytes)
    val count = end.toInt
    if (nulls != null) {
      val next = new Array[Boolean](mask + 1)
      var i = 0
      while (i < count) {
        next(i) = nulls(order(i))
        i += 1
      }
      nulls = next
    }
    reorderValues(order, count)
    memory.release(bytes)
  }

  protected def reorderValues(order: Array[Int], count: Int): Unit

  /**
   * The slot is looked up last, by `slotToWrite`: what is read of the source may be on disk, and
   * the memory for it may come from this column.
   */
  protected def setValue(target: Long, source: Column, position: Long): Unit

  /** Writes the value at a position, or that it is null. */
  final def save(position: Long, out: DataOutput): Unit = {
    out.writeBoolean(isNull(position))
    if (!isNull(position)) saveValue(slot(position), out)
  }

  /** Overwrites the value at `target`, of a column that takes nulls, by one that was written. */
  final def restore(target: Long, in: DataInput): Unit =
    if (in.readBoolean()) unset(target)
    else {
      restoreValue(slotToWrite(target), in)
      if (nulls != null) nulls(slot(target)) = false
    }

  protected def saveValue(slot: Int, out: DataOutput): Unit

  protected def restoreValue(slot: Int, in: DataInput): Unit

  /** Makes the value at `target` null, and lets go of what it held. */
  final def unset(target: Long): Unit = {
    nulls(slotToWrite(target)) = true
    dropValue(slot(target))
  }

  /**
   * A column of the same kind that holds `size` nulls, for values that outlive the rows that they
   * came from.
   */
  final def cells(size: Int): Column = {
    val column = newLike()
    // Without a reader, a full column would forget its cells instead of growing.
    column.addReader(Column.RetainAll)
    var i = 0
    while (i < size) {
      column.appendNull()
      i += 1
    }
    column
  }

  /** An empty column of the same kind that takes nulls. */
  protected def newLike(): Column

  /** The slot of the row that is appended; marks it not null. */
  protected final def nextSlot(): Int = {
    ensureRoom()
    val next = slot(end)
    if (nulls != null) nulls(next) = false
    end += 1
    next
  }

  /** After this the next slot is there: it asks for no memory. */
  protected final def ensureRoom(): Unit = if (end >= limit) makeRoom()

  protected final def slot(position: Long): Int = {
    val m = ring
    if (m >= 0) position.toInt & m else pages.slot(position)
  }

  /** The slot of a position that is written to. */
  protected final def slotToWrite(position: Long): Int = {
    val m = ring
    if (m >= 0) position.toInt & m else pages.slotToWrite(position)
  }

  /** The slot of a position whose value is overwritten; marks it not null. */
  protected final def present(position: Long): Int = {
    val s = slotToWrite(position)
    if (nulls != null) nulls(s) = false
    s
  }

  /** Replaces the values' array by one of `capacity`, moving each live slot. */
  protected def resize(capacity: Int, move: Column.ArrayCopy): Unit

  /** The width of a value in bytes, without its null flag. */
  protected def width: Int

  /** Lets go of what the slot holds, where that matters (objects). */
  protected def dropValue(slot: Int): Unit = ()

  private[kernel] final def bytesOf(capacity: Int): Long =
    capacity.toLong * (width + (if (nullable) 1 else 0))

  private def makeRoom(): Unit = {
    val floor = lowestFloor()
    if (pages != null) {
      base = floor
      pages.dropBefore(floor)
      pages.open(end)
      limit = pages.endOfPage(end)
    } else {
      dropped(base, floor)
      base = floor
      val capacity = mask + 1
      if (end - base > capacity - (capacity >> 2)) widen(capacity)
      if (pages == null) limit = base + mask + 1L else if (end >= limit) makeRoom()
    }
  }

  private def lowestFloor(): Long = {
    var floor = end
    var i = 0
    while (i < readers.length) {
      floor = math.min(floor, readers(i).floor)
      i += 1
    }
    math.max(base, floor)
  }

  /**
   * The values at positions from `from` until `until`, all of them in memory, are needed no more.
   */
  protected def dropped(from: Long, until: Long): Unit = ()

  private def widen(capacity: Int): Unit =
    if (paging == null || capacity < paging.least) {
      if (capacity >= Column.MaxCapacity) throw tooLong
      memory.acquire(bytesOf(capacity << 1))
      grow(capacity << 1)
    } else if (paging.isForced || capacity >= Column.MaxCapacity || !isGrown(capacity << 1)) {
      turnToPages()
    }

  private def tooLong = new IllegalStateException(
    s"a frame holds more than ${Column.MaxCapacity} rows of one partition"
  )

  private def isGrown(capacity: Int): Boolean = {
    var isDone = tryGrow(capacity)
    // What is read in order comes back once; what is not may do so with every look.
    while (!isDone && !inOrder && paging.giveUpInOrder()) isDone = tryGrow(capacity)
    isDone
  }

  private def tryGrow(capacity: Int): Boolean =
    memory.tryAcquire(bytesOf(capacity)) && {
      try {
        grow(capacity)
        true
      } catch {
        // Granted, but not there: the heap is in pieces.
        case _: OutOfMemoryError =>
          memory.release(bytesOf(capacity))
          false
      }
    }

  private def grow(capacity: Int): Unit = {
    val before = mask + 1
    rearrange(capacity, new Column.RingCopy(base, end, mask, capacity - 1))
    memory.release(bytesOf(before))
  }

  private def rearrange(capacity: Int, move: Column.ArrayCopy): Unit = {
    val nextNulls = if (nulls == null) null else new Array[Boolean](capacity)
    resize(capacity, move)
    if (nulls != null) {
      move(nulls, nextNulls)
      nulls = nextNulls
    }
    mask = capacity - 1
    if (pages == null) ring = mask
  }

  private def turnToPages(): Unit = {
    val pageRows = if (inOrder) paging.rows else math.min(paging.rows, Paging.ScatteredRows)
    val made = new Pages(this, paging, pageRows, mask + 1, 2 * readers.length)
    made.takeOver(base, end)
    pages = made
    ring = -1
    limit = made.endOfPage(end - 1L)
  }

  private def leavePages(): Unit = {
    vacate(0, mask + 1)
    pages.close()
    pages = null
    ring = mask
  }

  final override private[kernel] def isReadInOrder: Boolean = inOrder

  final override private[kernel] def spareBytes: Long =
    if (paging == null || mask + 1 < 2 * paging.least) 0L
    else if (pages == null) { if (end > base) bytesOf((mask + 1) >> 1) else 0L }
    else if (pages.canShrink) bytesOf((mask + 1) >> 1)
    else 0L

  final override private[kernel] def giveUp(): Boolean = {
    if (pages == null) turnToPages()
    pages.canShrink && {
      val half = (mask + 1) >> 1
      rearrange(half, pages.shrink())
      memory.release(bytesOf(half))
      true
    }
  }

  /** Writes the values of `n` slots. */
  private[kernel] final def writePage(from: Int, count: Int, out: DataOutputStream): Unit = {
    if (nulls != null) {
      val flags = new Array[Byte](count)
      var i = 0
      while (i < count) {
        if (nulls(from + i)) flags(i) = 1
        i += 1
      }
      out.write(flags)
    }
    writeValues(from, count, out)
  }

  /** Reads them again, into slots that are vacant. */
  private[kernel] final def readPage(from: Int, count: Int, in: DataInputStream): Unit = {
    if (nulls != null) {
      val flags = new Array[Byte](count)
      in.readFully(flags)
      var i = 0
      while (i < count) {
        nulls(from + i) = flags(i) != 0
        i += 1
      }
    }
    readValues(from, count, in)
  }

  protected def writeValues(from: Int, count: Int, out: DataOutputStream): Unit

  protected def readValues(from: Int, count: Int, in: DataInputStream): Unit

  /** Releases the values of `n` slots. */
  private[kernel] def vacate(from: Int, count: Int): Unit = ()

  /** Returns the bytes that the values of `n` slots take outside of the slots. */
  private[kernel] def weigh(from: Int, count: Int): Long = 0L

  /**
   * Requests this many bytes before the values are read again. `insists` if there is not another
   * way.
   */
  private[kernel] def take(bytes: Long, insists: Boolean): Boolean = true

  /** Makes one page go to disk; whether there was one that could. */
  protected final def evictPage(): Boolean =
    paging != null && {
      if (pages == null && mask + 1 >= paging.least && end > base) turnToPages()
      pages != null && pages.evictPage()
    }

  /** Gives all memory back; the column is not used again. */
  final def close(): Unit = {
    clear()
    if (paging != null) paging.remove(this)
    memory.release(bytesOf(mask + 1))
  }
}

object Column {
  val InitialCapacity: Int = 64
  val MaxCapacity: Int = 1 << 29

  /** Something that reads a column: rows before its floor may be forgotten. */
  trait Reader {
    def floor: Long
  }

  /** Spreads the bits of a value over a hash. */
  private[kernel] def mix(value: Long): Int = {
    val a = (value ^ (value >>> 32)) * 0x9e3779b97f4a7c15L
    (a ^ (a >>> 32)).toInt
  }

  /** Nothing may be forgotten. */
  object RetainAll extends Reader {
    override def floor: Long = 0L
  }

  /** Carries what is live from one array to another. */
  abstract class ArrayCopy {
    def apply(from: AnyRef, to: AnyRef): Unit
  }

  /** Carries the live positions [base, end) from a ring of one mask to a ring of another. */
  final class RingCopy(base: Long, end: Long, oldMask: Int, newMask: Int) extends ArrayCopy {
    override def apply(from: AnyRef, to: AnyRef): Unit = {
      var p = base
      while (p < end) {
        val source = p.toInt & oldMask
        val target = p.toInt & newMask
        val run = math.min(
          end - p,
          math.min(oldMask + 1 - source, newMask + 1 - target).toLong
        ).toInt
        System.arraycopy(from, source, to, target, run)
        p += run
      }
    }
  }
}

package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}

import io.muntin.kernel.memory.{Memory, Paged, Paging}

/**
 * The values of one expression, for the rows that some frame still needs: a ring over a primitive
 * array, addressed by row position. Positions count the rows of a partition from 0; the value at
 * position p is in slot `p & mask`. So the column of a frame of W rows holds W values, never the
 * whole partition.
 *
 * Values are appended, once per row, and can be read at any position from the lowest floor of the
 * column's readers on. A full column gets that floor from its readers. It grows only if more than
 * three quarters of it are still needed, so the calls of `floor` are amortised over many rows.
 *
 * After `spillTo`, a column that is refused memory keeps its size and continues in pages: pages
 * that are not read are spilled, and are read back when needed. A column can also release memory
 * for others (`giveUp`).
 *
 * Cost per row: one store. Guarded by ColumnSuite and PagesSuite.
 */
abstract class Column(memory: Memory, nullable: Boolean) extends Paged {
  protected final var mask: Int = Column.InitialCapacity - 1
  private var nulls: Array[Boolean] = if (nullable) new Array[Boolean](mask + 1) else null
  private var readers: Array[Column.Reader] = Array.empty
  private var base: Long = 0L
  private var end: Long = 0L
  // The first position without a slot.
  private var limit: Long = Column.InitialCapacity.toLong
  private var paging: Paging = null
  private var inOrder = true
  // Null while all required values are in memory.
  private var pages: Pages = null
  // The mask, or -1 if there are pages: checking it for each value costs half of checking `pages`.
  private var ring: Int = mask

  memory.acquire(bytesOf(Column.InitialCapacity))

  /** The position of the next append. */
  final def size: Long = end

  /** The oldest position that has not been forgotten. */
  final def oldest: Long = base

  final def addReader(reader: Column.Reader): Unit =
    if (!readers.contains(reader)) readers = readers :+ reader

  /** Allows the column to be spilled. */
  final def spillTo(paging: Paging): Unit = {
    this.paging = paging
    paging.add(this)
  }

  /** Allows the column, which is read and written at random positions, to be spilled. */
  private[kernel] final def scattersTo(paging: Paging): Unit = {
    inOrder = false
    spillTo(paging)
  }

  /**
   * Keeps the column in memory: a reader reads it at random positions for each result, and reads
   * from disk would be far too slow. Call it before the first row.
   */
  final def staysInMemory(): Unit = paging = null

  /** True if some of the values may be on disk. */
  final def isPaged: Boolean = pages != null

  final def isNullable: Boolean = nulls != null

  final def isNull(position: Long): Boolean =
    nulls != null && nulls(slot(position))

  /** Compares the values at two positions, both not null, in SQL's order. */
  def compare(left: Long, right: Long): Int

  /** Compares the value at `left` with a value of another column of the same class. */
  def compareTo(left: Long, other: Column, right: Long): Int

  /**
   * Returns a hash of the non-null value at a position. Values that compare as equal have equal
   * hashes.
   */
  def hash(position: Long): Int

  /** Starts a partition: forgets all values, and keeps the array. */
  final def clear(): Unit = clear(0L)

  /** Starts a partition whose first value is at the position `first`. */
  final def clear(first: Long): Unit = {
    if (pages == null) dropped(base, end) else leavePages()
    base = first
    end = first
    limit = first + mask + 1L
  }

  /** Forgets the last value. */
  final def takeBack(): Unit = {
    end -= 1
    dropValue(slot(end))
  }

  final def appendNull(): Unit = {
    val slot = nextSlot()
    nulls(slot) = true
    dropValue(slot)
  }

  /** Overwrites the value at `target` with a value of another column of the same class. */
  final def set(target: Long, source: Column, position: Long): Unit = {
    val absent = source.isNull(position)
    if (absent) dropValue(slotToWrite(target)) else setValue(target, source, position)
    // Last, because memory for the value may be refused.
    if (nulls != null) nulls(slot(target)) = absent
  }

  /**
   * Permutes the values: position i gets the value of position `order(i)`. The column must have all
   * values since `clear`.
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
   * Implementations call `slotToWrite` last: the source's value may be on disk, and the memory to
   * read it may be taken from this column.
   */
  protected def setValue(target: Long, source: Column, position: Long): Unit

  /** Writes the value at a position, or a null flag. */
  final def save(position: Long, out: DataOutput): Unit = {
    out.writeBoolean(isNull(position))
    if (!isNull(position)) saveValue(slot(position), out)
  }

  /** Overwrites the value at `target` with a saved value. The column must be nullable. */
  final def restore(target: Long, in: DataInput): Unit =
    if (in.readBoolean()) unset(target)
    else {
      restoreValue(slotToWrite(target), in)
      if (nulls != null) nulls(slot(target)) = false
    }

  protected def saveValue(slot: Int, out: DataOutput): Unit

  protected def restoreValue(slot: Int, in: DataInput): Unit

  /** Sets the value at `target` to null, and releases the old value. */
  final def unset(target: Long): Unit = {
    nulls(slotToWrite(target)) = true
    dropValue(slot(target))
  }

  /** Returns a column of the same kind with `size` nulls, for values that outlive their rows. */
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

  /** Returns an empty nullable column of the same kind. */
  protected def newLike(): Column

  /** Returns the slot of the appended row, and marks it as not null. */
  protected final def nextSlot(): Int = {
    ensureRoom()
    val next = slot(end)
    if (nulls != null) nulls(next) = false
    end += 1
    next
  }

  /** Ensures that the next slot exists, so that appending requests no memory. */
  protected final def ensureRoom(): Unit = if (end >= limit) makeRoom()

  protected final def slot(position: Long): Int = {
    val m = ring
    if (m >= 0) position.toInt & m else pages.slot(position)
  }

  /** Returns the slot of a position to write to. */
  protected final def slotToWrite(position: Long): Int = {
    val m = ring
    if (m >= 0) position.toInt & m else pages.slotToWrite(position)
  }

  /** Returns the slot of a position to overwrite, and marks it as not null. */
  protected final def present(position: Long): Int = {
    val s = slotToWrite(position)
    if (nulls != null) nulls(s) = false
    s
  }

  /** Replaces the array of values by an array of `capacity`, and moves each live slot. */
  protected def resize(capacity: Int, move: Column.ArrayCopy): Unit

  /** The width of a value in bytes, without its null flag. */
  protected def width: Int

  /** Releases the value of the slot, if it is an object. */
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

  /** Called when the values from `from` until `until`, all in memory, are no longer needed. */
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
    // Columns that are read in order yield first: their pages are read back only once.
    while (!isDone && !inOrder && paging.giveUpInOrder()) isDone = tryGrow(capacity)
    isDone
  }

  private def tryGrow(capacity: Int): Boolean =
    memory.tryAcquire(bytesOf(capacity)) && {
      try {
        grow(capacity)
        true
      } catch {
        // Granted, but the heap is too fragmented.
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

  /** Reads the values again, into vacant slots. */
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
   * Requests this many bytes before the values are read again. `insists`: throws if they are
   * refused.
   */
  private[kernel] def take(bytes: Long, insists: Boolean): Boolean = true

  /** Spills one page. Returns true if one could be spilled. */
  protected final def evictPage(): Boolean =
    paging != null && {
      if (pages == null && mask + 1 >= paging.least && end > base) turnToPages()
      pages != null && pages.evictPage()
    }

  /** Releases all memory. The column must not be used again. */
  final def close(): Unit = {
    clear()
    if (paging != null) paging.remove(this)
    memory.release(bytesOf(mask + 1))
  }
}

object Column {
  val InitialCapacity: Int = 64
  val MaxCapacity: Int = 1 << 29

  /** A reader of a column. Rows before the floors of all readers may be forgotten. */
  trait Reader {
    def floor: Long
  }

  /** Spreads the bits of a value over a hash. */
  private[kernel] def mix(value: Long): Int = {
    val a = (value ^ (value >>> 32)) * 0x9e3779b97f4a7c15L
    (a ^ (a >>> 32)).toInt
  }

  /** Retains all rows. */
  object RetainAll extends Reader {
    override def floor: Long = 0L
  }

  /** Copies the live values of an array to another array. */
  abstract class ArrayCopy {
    def apply(from: AnyRef, to: AnyRef): Unit
  }

  /** Copies the live positions [base, end) from a ring with one mask to a ring with another. */
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

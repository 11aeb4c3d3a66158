package io.muntin.kernel

import java.io.{DataInput, DataOutput}

/**
 * The values of one expression for the rows that some frame still needs: a ring over a primitive
 * array, addressed by row position. Positions count the rows of a partition from 0; position p lies
 * in slot `p & mask`, so a column that looks back W rows holds W values, never the partition.
 *
 * A column is written once per row, at the end, and read at any position from the lowest floor of
 * its readers up. When it is full it asks the readers for that floor; it grows only while more than
 * three quarters of it are still needed, so that asking is amortised over many rows.
 *
 * Cost per row: one store. Guarded by ColumnSuite.
 */
abstract class Column(memory: Memory, nullable: Boolean) {
  protected final var mask: Int = Column.InitialCapacity - 1
  private var nulls: Array[Boolean] = if (nullable) new Array[Boolean](mask + 1) else null
  private var readers: Array[Column.Reader] = Array.empty
  private var base: Long = 0L
  private var end: Long = 0L

  memory.acquire(bytesOf(Column.InitialCapacity))

  /** The position that the next append takes. */
  final def size: Long = end

  final def addReader(reader: Column.Reader): Unit = readers = readers :+ reader

  final def isNullable: Boolean = nulls != null

  final def isNull(position: Long): Boolean =
    nulls != null && nulls(position.toInt & mask)

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
    dropped(base, end)
    base = first
    end = first
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
    if (absent) dropValue(slot(target)) else setValue(slot(target), source, position)
    // Only now: memory for the value may be refused.
    if (nulls != null) nulls(slot(target)) = absent
  }

  /**
   * Puts the values in another order: position i has that which was at `order(i)`. For a column that has
   * all of its values since `clear`.
   */
  final def reorder(order: Array[Int]): Unit = {
    if (base != 0L) throw new IllegalStateException("values have been forgotten")
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

  protected def setValue(slot: Int, source: Column, position: Long): Unit

  /** Writes the value at a position, or that it is null. */
  final def save(position: Long, out: DataOutput): Unit = {
    out.writeBoolean(isNull(position))
    if (!isNull(position)) saveValue(slot(position), out)
  }

  /** Overwrites the value at `target`, of a column that takes nulls, by one that was written. */
  final def restore(target: Long, in: DataInput): Unit =
    if (in.readBoolean()) unset(target)
    else {
      restoreValue(slot(target), in)
      if (nulls != null) nulls(slot(target)) = false
    }

  protected def saveValue(slot: Int, out: DataOutput): Unit

  protected def restoreValue(slot: Int, in: DataInput): Unit

  /** Makes the value at `target` null, and lets go of what it held. */
  final def unset(target: Long): Unit = {
    nulls(slot(target)) = true
    dropValue(slot(target))
  }

  /**
   * A column of the same kind that holds `size` nulls, for values that outlive the rows that they
   * came from.
   */
  final def cells(size: Int): Column = {
    val column = newLike()
    // Without a reader, a full column would forget its cells instead of growing.
    column.addReader(Column.Everything)
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
    val slot = end.toInt & mask
    if (nulls != null) nulls(slot) = false
    end += 1
    slot
  }

  /** After this the next slot is there: it asks for no memory. */
  protected final def ensureRoom(): Unit = if (end - base > mask) makeRoom()

  protected final def slot(position: Long): Int = position.toInt & mask

  /** The slot of a position whose value is overwritten; marks it not null. */
  protected final def present(position: Long): Int = {
    if (nulls != null) nulls(slot(position)) = false
    slot(position)
  }

  /** Replaces the values' array by one of `capacity`, moving each live slot. */
  protected def resize(capacity: Int, move: Column.Move): Unit

  /** The width of a value in bytes, without its null flag. */
  protected def width: Int

  /** Lets go of what the slot holds, where that matters (objects). */
  protected def dropValue(slot: Int): Unit = ()

  private def bytesOf(capacity: Int): Long = capacity.toLong * (width + (if (nullable) 1 else 0))

  private def makeRoom(): Unit = {
    var floor = end
    var i = 0
    while (i < readers.length) {
      floor = math.min(floor, readers(i).floor)
      i += 1
    }
    dropped(base, floor)
    base = floor
    val capacity = mask + 1
    if (end - base > capacity - (capacity >> 2)) {
      if (capacity >= Column.MaxCapacity) {
        throw new IllegalStateException(
          s"a frame holds more than ${Column.MaxCapacity} rows of one partition"
        )
      }
      grow(capacity << 1)
    }
  }

  /** The values at positions from `from` until `until` are needed no more. */
  protected def dropped(from: Long, until: Long): Unit = ()

  private def grow(capacity: Int): Unit = {
    memory.acquire(bytesOf(capacity))
    val move = new Column.Move(base, end, mask, capacity - 1)
    if (nulls != null) {
      val next = new Array[Boolean](capacity)
      move(nulls, next)
      nulls = next
    }
    resize(capacity, move)
    mask = capacity - 1
    memory.release(bytesOf(capacity >> 1))
  }

  /** Gives all memory back; the column is not used again. */
  final def close(): Unit = {
    clear()
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

  private object Everything extends Reader {
    override def floor: Long = 0L
  }

  /** Carries the live positions [base, end) from a ring of one mask to a ring of another. */
  final class Move(base: Long, end: Long, oldMask: Int, newMask: Int) {
    def apply(from: AnyRef, to: AnyRef): Unit = {
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

package io.muntin.kernel.ranks

import java.util

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.Column
import io.muntin.kernel.lists.{LinkedList, ListedRows}
import io.muntin.kernel.memory.Memory

/**
 * The rows of a frame whose value is not null, sorted by a separate order, and by position if
 * equal: listagg WITHIN GROUP.
 *
 * The sorted positions are kept from result to result. `refresh` removes rows that have left in one
 * pass, sorts the new rows, and inserts each at the place that a binary search finds. If a frame
 * moves by one row, this costs one search; a partition that arrives at once is sorted once.
 *
 * Cost per result over n rows with k new rows: k log n comparisons, and moving n positions, which
 * costs less than reading them, as any result must. 8 bytes per row. Guarded by SortedRowsSuite.
 */
abstract class SortedRows(
    memory: Memory,
    keys: Column,
    rows: ListedRows,
    order: SortedRows.Order
) extends ListedRows {
  import SortedRows._

  private var sorted = new Array[Long](InitialCapacity)
  private var count = 0
  private var scratch = new Array[Long](InitialCapacity)

  memory.acquire(8L * sorted.length + 8L * scratch.length)

  override def size: Int = rows.size

  override def values: Column = rows.values

  override def staysInMemory(): Unit = {
    keys.staysInMemory()
    rows.staysInMemory()
  }

  /** Returns the position in `values` of the `i`-th row in order. Call `refresh` before. */
  override def position(i: Int): Long = sorted(i)

  /** Returns how many of the sorted rows are before a place. Call `refresh` before. */
  final def countBefore(place: SortedRows.Place): Int = {
    var low = 0
    var high = count
    while (low < high) {
      val middle = (low + high) >>> 1
      if (place.isAfter(keys, sorted(middle))) low = middle + 1 else high = middle
    }
    low
  }

  /** Returns the number of distinct keys of the first `until` sorted rows. */
  final def distinctKeys(until: Int): Int = {
    var distinct = 0
    var i = 0
    while (i < until) {
      if (i == 0 || order.compare(keys, sorted(i - 1), sorted(i)) != 0) distinct += 1
      i += 1
    }
    distinct
  }

  override def clear(): Unit = {
    var i = 0
    while (i < count) {
      evictBefore(sorted(i))
      i += 1
    }
    count = 0
  }

  /** Returns true if sorted rows may have left since the last call. */
  protected def haveLeft(): Boolean

  protected def hasLeft(row: Long): Boolean

  /** Called before a row is inserted. */
  protected def takeIn(row: Long): Unit

  /** Called by `clear` for each sorted row. */
  protected def evictBefore(row: Long): Unit

  final def refresh(): Unit = {
    val listed = rows.size
    if (listed == 0) count = 0
    else {
      if (haveLeft()) removeLeft()
      val fresh = listed - count
      if (fresh > 0) {
        makeRoom(listed, fresh)
        var i = 0
        while (i < fresh) {
          sorted(count + i) = rows.position(count + i)
          takeIn(sorted(count + i))
          i += 1
        }
        System.arraycopy(sorted, count, scratch, 0, fresh)
        sort(fresh)
        merge(fresh)
        count = listed
      }
    }
  }

  private def removeLeft(): Unit = {
    var kept = 0
    var i = 0
    while (i < count) {
      if (!hasLeft(sorted(i))) {
        sorted(kept) = sorted(i)
        kept += 1
      }
      i += 1
    }
    count = kept
  }

  // In descending order, so each greater row is moved once.
  private def merge(fresh: Int): Unit = {
    var until = count
    var i = fresh - 1
    while (i >= 0) {
      val row = scratch(i)
      val at = above(row, until)
      System.arraycopy(sorted, at, sorted, at + i + 1, until - at)
      sorted(at + i) = row
      until = at
      i -= 1
    }
  }

  /**
   * Returns the index of the first of the sorted rows before `until` that sorts after `row`, which
   * is newer.
   */
  private def above(row: Long, until: Int): Int = {
    var low = 0
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (order.compare(keys, sorted(middle), row) <= 0) low = middle + 1 else high = middle
    }
    low
  }

  // Merges runs of doubling length, alternating between `scratch` and the free part of `sorted`.
  private def sort(fresh: Int): Unit = {
    var width = 1
    while (width < fresh) {
      System.arraycopy(scratch, 0, sorted, count, fresh)
      var from = 0
      while (from < fresh) {
        val middle = math.min(fresh, from + width)
        val until = math.min(fresh.toLong, from + 2L * width).toInt
        mergeRuns(from, middle, until)
        from = until
      }
      width = if (width > (1 << 29)) Int.MaxValue else width * 2
    }
  }

  private def mergeRuns(from: Int, middle: Int, until: Int): Unit = {
    var left = from
    var right = middle
    var to = from
    while (to < until) {
      val takesLeft = right >= until || left < middle &&
        order.compare(keys, sorted(count + left), sorted(count + right)) <= 0
      if (takesLeft) {
        scratch(to) = sorted(count + left)
        left += 1
      } else {
        scratch(to) = sorted(count + right)
        right += 1
      }
      to += 1
    }
  }

  private def makeRoom(listed: Int, fresh: Int): Unit = {
    if (listed > sorted.length) sorted = enlarged(sorted, listed)
    if (fresh > scratch.length) scratch = enlarged(scratch, fresh)
  }

  private def enlarged(array: Array[Long], needed: Int): Array[Long] = {
    val capacity = Integer.highestOneBit(needed) * 2
    memory.acquire(8L * capacity)
    memory.release(8L * array.length)
    util.Arrays.copyOf(array, capacity)
  }

  override def close(): Unit = memory.release(8L * sorted.length + 8L * scratch.length)
}

object SortedRows {
  private val InitialCapacity = 64

  /** Compares the rows at two positions of the column of order values. */
  abstract class Order {
    def compare(orders: Column, left: Long, right: Long): Int
  }

  /** A place among sorted rows. */
  abstract class Place {

    /** Returns true if the row whose key is at `position` is before the place. */
    def isAfter(orders: Column, position: Long): Boolean
  }
}

/**
 * SortedRows for rows that enter at the end and leave at the front.
 *
 * If rows never leave, the columns forget them, and `rows` and `orders` are lists of copies. Only
 * the values of `orders` are read, at the positions of `rows`.
 */
final class SortedFrame(
    memory: Memory,
    orders: ListedRows,
    rows: ListedRows,
    order: SortedRows.Order
) extends SortedRows(memory, orders.values, rows, order) {
  // Every listed row before this position has been inserted, or has left.
  private var floor = 0L

  override def clear(): Unit = {
    orders.clear()
    rows.clear()
    forget()
  }

  override def enter(from: Long, until: Long): Unit = {
    orders.enter(from, until)
    rows.enter(from, until)
  }

  override def leave(from: Long, until: Long): Unit = {
    orders.leave(from, until)
    rows.leave(from, until)
  }

  /** Forgets the sorted rows. Call it if rows enter or leave in another order. */
  def forget(): Unit = {
    super.clear()
    floor = 0L
  }

  // If the oldest listed row has not left, no row has.
  override protected def haveLeft(): Boolean = {
    val before = floor
    floor = rows.position(0)
    floor != before
  }

  override protected def hasLeft(row: Long): Boolean = row < floor

  override protected def takeIn(row: Long): Unit = ()

  override protected def evictBefore(row: Long): Unit = ()

  override def close(): Unit = {
    super.close()
    orders.close()
    rows.close()
  }
}

/** SortedRows for rows in slots, which leave in any order; another motion drives `rows`. */
final class SortedSlots(
    memory: Memory,
    keys: Column,
    rows: LinkedList,
    order: SortedRows.Order
) extends SortedRows(memory, keys, rows, order) {
  // For each slot, true if its row is sorted. False if the row has left, even if another row has
  // taken the slot.
  private var isIn = new Array[Boolean](SortedSlots.InitialCapacity)
  private var left = false

  memory.acquire(isIn.length.toLong)

  override def anyOrder: Boolean = true

  override def clear(): Unit = {
    super.clear()
    left = false
  }

  override def enter(from: Long, until: Long): Unit =
    if (until > isIn.length) {
      val capacity = Integer.highestOneBit(until.toInt) * 2
      memory.acquire(capacity.toLong)
      memory.release(isIn.length.toLong)
      isIn = util.Arrays.copyOf(isIn, capacity)
    }

  override def leave(from: Long, until: Long): Unit = {
    util.Arrays.fill(isIn, from.toInt, until.toInt, false)
    left = true
  }

  override protected def haveLeft(): Boolean = {
    val before = left
    left = false
    before
  }

  override protected def hasLeft(row: Long): Boolean = !isIn(row.toInt)

  override protected def takeIn(row: Long): Unit = isIn(row.toInt) = true

  override protected def evictBefore(row: Long): Unit = isIn(row.toInt) = false

  override def close(): Unit = {
    super.close()
    memory.release(isIn.length.toLong)
  }
}

private object SortedSlots {
  private val InitialCapacity = 64
}

object SortedFrame {
  val abilities: Abilities = Abilities("sorted positions")
}

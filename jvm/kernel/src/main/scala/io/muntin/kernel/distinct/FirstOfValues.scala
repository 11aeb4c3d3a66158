package io.muntin.kernel.distinct

import java.util

import io.muntin.kernel.columns.{Links, Slots}
import io.muntin.kernel.memory.Memory

/**
 * Tracks which rows of a window are the first to hold their value, if rows leave in any order: the
 * set of a tally's values in first-seen order.
 *
 * The rows of each value are linked in the order of arrival, so the next row is known when the
 * first row leaves. The first rows are sorted when they are read after a change.
 *
 * Cost per row: constant; reading d values after a change costs d log d, and they are mostly sorted
 * already. 8 bytes per slot, 24 per distinct value. Guarded by FirstOfValuesSuite.
 */
final class FirstOfValues(memory: Memory, tally: Tally, slots: Slots) extends Tally.Listener {
  import FirstOfValues._

  // The rows of each value, linked.
  private val rows = new Links(memory)
  private var firsts = new Array[Int](InitialCapacity)
  private var lasts = new Array[Int](InitialCapacity)
  // The codes in use, in the order of their first use.
  private val codes = new Links(memory)
  private var firstCode = Links.None
  private var lastCode = Links.None
  // The first rows in order; the slot is in the low bits, the number in the high bits.
  private var sorted = new Array[Long](InitialCapacity)
  private var isSorted = false

  memory.acquire(bytesOf(firsts.length) + 8L * sorted.length)
  tally.addListener(this)

  /** Returns the first row that holds the value of a code. */
  def first(code: Int): Long = firsts(code).toLong

  def size: Int = tally.size

  /** Returns the `i`-th of the first rows in order, from 0. Call `refresh` before. */
  def apply(i: Int): Long = sorted(i) & SlotMask

  def refresh(): Unit = if (!isSorted) {
    if (tally.size > sorted.length) {
      val capacity = Integer.highestOneBit(tally.size) * 2
      memory.acquire(8L * capacity)
      memory.release(8L * sorted.length)
      sorted = new Array[Long](capacity)
    }
    var n = 0
    var code = firstCode
    while (code != Links.None) {
      sorted(n) = packed(slots.number(firsts(code)), firsts(code))
      n += 1
      code = codes.after(code)
    }
    util.Arrays.sort(sorted, 0, n)
    isSorted = true
  }

  override def entered(code: Int, position: Long): Unit = {
    val slot = position.toInt
    rows.reserve(slot)
    codes.reserve(code)
    if (code >= firsts.length) growCodes(code)
    if (tally.count(code) == 1L) {
      rows.append(slot, Links.None)
      firsts(code) = slot
      codes.append(code, lastCode)
      if (firstCode == Links.None) firstCode = code
      lastCode = code
      isSorted = false
    } else rows.append(slot, lasts(code))
    lasts(code) = slot
  }

  override def left(code: Int, position: Long): Unit = {
    val slot = position.toInt
    if (lasts(code) == slot) lasts(code) = rows.before(slot)
    if (firsts(code) == slot) {
      firsts(code) = rows.after(slot)
      isSorted = false
    }
    rows.remove(slot)
    if (tally.count(code) == 0L) {
      if (code == firstCode) firstCode = codes.after(code)
      if (code == lastCode) lastCode = codes.before(code)
      codes.remove(code)
    }
  }

  private def growCodes(code: Int): Unit = {
    val capacity = Integer.highestOneBit(code) * 2
    memory.acquire(bytesOf(capacity))
    memory.release(bytesOf(firsts.length))
    firsts = util.Arrays.copyOf(firsts, capacity)
    lasts = util.Arrays.copyOf(lasts, capacity)
  }

  override def clear(): Unit = {
    firstCode = Links.None
    lastCode = Links.None
    isSorted = false
    rows.clear()
    codes.clear()
  }

  override def close(): Unit = {
    rows.close()
    codes.close()
    memory.release(bytesOf(firsts.length) + 8L * sorted.length)
  }
}

private object FirstOfValues {
  private val InitialCapacity = 64
  private val SlotBits = 29
  private val SlotMask = (1L << SlotBits) - 1
  private val MostNumber = Long.MaxValue >> SlotBits

  private[distinct] def packed(number: Long, slot: Int): Long = {
    if (number > MostNumber || slot > SlotMask) {
      throw new ArithmeticException(
        s"row $number of a group, at place $slot of its window: the distinct values of windows " +
          s"can be listed up to row $MostNumber and place $SlotMask"
      )
    }
    number << SlotBits | slot
  }

  private def bytesOf(codes: Int): Long = 8L * codes
}

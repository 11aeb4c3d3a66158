package io.muntin.kernel.sorting

import java.util

import io.muntin.kernel.memory.Memory

/**
 * A heap for longs, or values ordered like longs, if every added value is at least the last removed
 * value.
 *
 * A value is in the bucket of the highest bit in which it differs from the last removed value, so
 * all values of a bucket are below all values of the next. If the bucket of the last value is
 * empty, the least value of the lowest bucket becomes the last value, and the other values of that
 * bucket move to lower buckets. Buckets are linked lists in one array.
 *
 * It is faster than a binary heap if many rows are open at the same time: the processor does not
 * mispredict comparisons, and there is no path through memory from leaf to root. With 1,000 and
 * with 100,000 rows, a sweep takes three quarters of the time; with 16 rows, the same time. Sorting
 * all ends of a group beforehand would be as fast, but holds the whole group.
 *
 * Cost per value: one step down for each bit that distinguishes the present values, usually log2 of
 * their number, and at most 64; 4 bytes. Source: Ahuja, Mehlhorn, Orlin and Tarjan, "Faster
 * Algorithms for the Shortest Path Problem" (J. ACM 1990). Guarded by EndsSuite.
 */
private[kernel] abstract class RadixHeap(memory: Memory) extends SlotHeap {
  import RadixHeap._

  private var following = new Array[Int](SlotHeap.InitialCapacity)
  private val heads = new Array[Int](Buckets)
  private val least = new Array[Int](Buckets)
  private val leastKeys = new Array[Long](Buckets)
  // Bit b - 1 is set if bucket b is not empty.
  private var filled = 0L
  private var last = Long.MinValue

  memory.acquire(4L * following.length)
  clear()

  /** Returns the value of a slot, as a long with the same order. */
  protected def key(slot: Int): Long

  final override def isEmpty: Boolean = heads(0) < 0 && filled == 0L

  final override def first: Int = if (heads(0) >= 0) heads(0) else least(lowest)

  final override def take(): Int = {
    if (heads(0) < 0) redistribute()
    val slot = heads(0)
    heads(0) = following(slot)
    slot
  }

  final override def add(slot: Int): Unit = {
    if (slot >= following.length) grow(slot)
    put(slot)
  }

  final override def clear(): Unit = {
    util.Arrays.fill(heads, NoSlot)
    filled = 0L
    last = Long.MinValue
  }

  final override def close(): Unit = memory.release(4L * following.length)

  private def lowest: Int = 1 + java.lang.Long.numberOfTrailingZeros(filled)

  private def put(slot: Int): Unit = {
    val value = key(slot)
    val bucket = 64 - java.lang.Long.numberOfLeadingZeros(value ^ last)
    val head = heads(bucket)
    if (bucket > 0 && (head < 0 || value < leastKeys(bucket))) {
      least(bucket) = slot
      leastKeys(bucket) = value
      filled |= 1L << (bucket - 1)
    }
    following(slot) = head
    heads(bucket) = slot
  }

  private def redistribute(): Unit = {
    val bucket = lowest
    last = leastKeys(bucket)
    var slot = heads(bucket)
    heads(bucket) = NoSlot
    filled &= filled - 1L
    while (slot >= 0) {
      val after = following(slot)
      put(slot)
      slot = after
    }
  }

  private def grow(slot: Int): Unit = {
    val capacity = Integer.highestOneBit(slot) * 2
    memory.acquire(4L * capacity)
    memory.release(4L * following.length)
    following = util.Arrays.copyOf(following, capacity)
  }
}

private object RadixHeap {
  private val Buckets = 65
  private val NoSlot = -1
}

package io.muntin.kernel.sorting

import java.util

import io.muntin.kernel.memory.Memory

/**
 * A heap for longs, or values ordered like longs, if every added value is at least the last removed
 * value.
 *
 * A value lies in the bucket of the highest bit in which it differs from the last that was taken
 * out, so all of a bucket are below all of the next. When the lowest bucket is not that of the last
 * value itself, its least becomes the last value, and the others of the bucket go to lower ones.
 * Buckets are lists through one array.
 *
 * Chosen over a binary heap for what it costs where many rows are there at once: no comparisons
 * that a processor mispredicts, no way from leaf to root through memory. With 1,000 rows and with
 * 100,000 rows a sweep takes three quarters of the time, with 16 rows as much. Sorting all ends of
 * a group beforehand would be no slower, but holds the whole group.
 *
 * Cost per value: as many steps down as the values there tell apart, log2 of their number in
 * general, and never more than 64; 4 bytes. Source: Ahuja, Mehlhorn, Orlin and Tarjan, "Faster
 * Algorithms for the Shortest Path Problem" (J. ACM 1990). Guarded by EndsSuite.
 */
private[kernel] abstract class RadixHeap(memory: Memory) extends SlotHeap {
  import RadixHeap._

  private var following = new Array[Int](SlotHeap.InitialCapacity)
  private val heads = new Array[Int](Buckets)
  private val least = new Array[Int](Buckets)
  private val leastKeys = new Array[Long](Buckets)
  // Bit b - 1 says that bucket b holds something.
  private var filled = 0L
  private var last = Long.MinValue

  memory.acquire(4L * following.length)
  clear()

  /** The value of a slot, as a long in the same order. */
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

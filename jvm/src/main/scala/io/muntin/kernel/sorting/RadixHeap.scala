package io.muntin.kernel.sorting

import java.util

import io.muntin.kernel.memory.Memory

/**
 * A heap for values that are longs, or are ordered as longs are, and of which none is added that is below
 * the last taken out.
 *
 * A value lies in the bucket of the highest bit in which it differs from the last that was taken out, so
 * all of a bucket are below all of the next. When the lowest bucket is not that of the last value itself, its
 * least becomes the last value, and the others of the bucket go to lower ones. Buckets are stacks of segments
 * out of one array, values beside slots: what is looked at on the way down lies together.
 *
 * Chosen over a binary heap for what it costs where many rows are there at once: no comparisons that
 * cannot be foreseen, no way from leaf to root through memory. Sorting all ends of a group
 * beforehand would be no slower, but holds the whole group.
 *
 * Cost per value: as many steps down as the values there tell apart, log2 of their number in general, and
 * never more than 64; 12 bytes, and a segment for each bucket in use. Source: Ahuja, Mehlhorn, Orlin and
 * Tarjan, "Faster Algorithms for the Shortest Path Problem" (J. ACM 1990). Guarded by EndsSuite.
 */
private[kernel] abstract class RadixHeap(memory: Memory) extends SlotHeap {
  import RadixHeap._

  private var keys = new Array[Long](InitialSegments * SegmentSize)
  private var slots = new Array[Int](InitialSegments * SegmentSize)
  // Of a segment: the one below it in its bucket, or the next one that is free.
  private var below = new Array[Int](InitialSegments)
  private var free = NoPlace
  // Segments from this on have not been used since `clear`.
  private var opened = 0

  // Where the last value of a bucket lies.
  private val tops = new Array[Int](Buckets)
  private val least = new Array[Int](Buckets)
  private val leastKeys = new Array[Long](Buckets)
  // Bit b - 1 says that bucket b holds something.
  private var filled = 0L
  private var last = Long.MinValue

  memory.acquire(bytesOf(InitialSegments))
  clear()

  /** The value of a slot, as a long in the same order. */
  protected def key(slot: Int): Long

  final override def isEmpty: Boolean = tops(0) < 0 && filled == 0L

  final override def first: Int = if (tops(0) >= 0) slots(tops(0)) else least(lowest)

  final override def take(): Int = {
    if (tops(0) < 0) settle()
    val top = tops(0)
    val slot = slots(top)
    tops(0) = under(top)
    slot
  }

  final override def add(slot: Int): Unit = put(key(slot), slot)

  final override def clear(): Unit = {
    util.Arrays.fill(tops, NoPlace)
    free = NoPlace
    opened = 0
    filled = 0L
    last = Long.MinValue
  }

  final override def close(): Unit = memory.release(bytesOf(below.length))

  private def lowest: Int = 1 + java.lang.Long.numberOfTrailingZeros(filled)

  private def put(value: Long, slot: Int): Unit = {
    val bucket = 64 - java.lang.Long.numberOfLeadingZeros(value ^ last)
    val top = tops(bucket)
    val place = if ((top & Within) == Within) open(top) else top + 1
    if (bucket > 0 && (top < 0 || value < leastKeys(bucket))) {
      least(bucket) = slot
      leastKeys(bucket) = value
      filled |= 1L << (bucket - 1)
    }
    keys(place) = value
    slots(place) = slot
    tops(bucket) = place
  }

  /** The place under one that is empty now, in the same bucket. */
  private def under(top: Int): Int =
    if ((top & Within) != 0) top - 1
    else {
      val segment = top / SegmentSize
      val next = below(segment)
      below(segment) = free
      free = segment
      if (next < 0) NoPlace else next * SegmentSize + Within
    }

  /** The first place of a segment on top of that which ends at `top`, if there is one. */
  private def open(top: Int): Int = {
    if (free < 0 && opened == below.length) grow()
    val segment = if (free >= 0) free else opened
    if (free >= 0) free = below(segment) else opened += 1
    below(segment) = if (top < 0) NoPlace else top / SegmentSize
    segment * SegmentSize
  }

  private def settle(): Unit = {
    val bucket = lowest
    last = leastKeys(bucket)
    var top = tops(bucket)
    tops(bucket) = NoPlace
    filled &= filled - 1L
    while (top >= 0) {
      val value = keys(top)
      val slot = slots(top)
      top = under(top)
      put(value, slot)
    }
  }

  private def grow(): Unit = {
    val segments = below.length * 2
    memory.acquire(bytesOf(segments))
    memory.release(bytesOf(below.length))
    keys = util.Arrays.copyOf(keys, segments * SegmentSize)
    slots = util.Arrays.copyOf(slots, segments * SegmentSize)
    below = util.Arrays.copyOf(below, segments)
  }
}

private object RadixHeap {
  private val Buckets = 65
  private val SegmentSize = 64
  private val Within = SegmentSize - 1
  private val InitialSegments = 8
  private val NoPlace = -1

  private def bytesOf(segments: Int): Long = segments * (12L * SegmentSize + 4L)
}

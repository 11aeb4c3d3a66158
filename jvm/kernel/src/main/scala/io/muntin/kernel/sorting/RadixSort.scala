package io.muntin.kernel.sorting

import java.util.Arrays

/**
 * Sorts keys, each with an item, by the bits of the key as an unsigned number. The sort is stable.
 *
 * The idea: counting sort, digit by digit from the lowest, over only the bits in which the keys
 * differ. Keys that are in order already are scanned once, and a few keys are sorted by insertion.
 *
 * Cost per item: one scan and, if the keys are not in order, two for each digit of 8 bits, or of 11
 * bits if there are many keys. Source: Knuth, The Art of Computer Programming 3, 5.2.5. Guarded by
 * RadixSortSuite.
 */
final class RadixSort(capacity: Int) {
  private val spareKeys = new Array[Long](capacity)
  private val spareItems = new Array[Int](capacity)
  private val starts = new Array[Int](1 << RadixSort.ManyBits)

  /** Sorts the keys from `from` until `until`, at most `capacity`. */
  def sort(keys: Array[Long], items: Array[Int], from: Int, until: Int): Unit =
    if (until - from > 1) {
      val first = keys(from)
      var differing = 0L
      var inOrder = true
      var previous = first
      var i = from + 1
      while (i < until) {
        val key = keys(i)
        differing |= key ^ first
        if (java.lang.Long.compareUnsigned(key, previous) < 0) inOrder = false
        previous = key
        i += 1
      }
      if (!inOrder) {
        if (until - from <= RadixSort.Few) insert(keys, items, from, until)
        else digits(keys, items, from, until, differing)
      }
    }

  private def insert(keys: Array[Long], items: Array[Int], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val key = keys(i)
      val item = items(i)
      var hole = i
      while (hole > from && java.lang.Long.compareUnsigned(keys(hole - 1), key) > 0) {
        keys(hole) = keys(hole - 1)
        items(hole) = items(hole - 1)
        hole -= 1
      }
      keys(hole) = key
      items(hole) = item
      i += 1
    }
  }

  private def digits(
      keys: Array[Long],
      items: Array[Int],
      from: Int,
      until: Int,
      differing: Long
  ): Unit = {
    val count = until - from
    val lowest = java.lang.Long.numberOfTrailingZeros(differing)
    val span = 64 - java.lang.Long.numberOfLeadingZeros(differing) - lowest
    val most = if (count < RadixSort.Many) RadixSort.FewBits else RadixSort.ManyBits
    val passes = (span + most - 1) / most
    val bits = (span + passes - 1) / passes
    val mask = (1L << bits) - 1L
    var isSpare = false
    var pass = 0
    while (pass < passes) {
      val shift = lowest + pass * bits
      if (((differing >>> shift) & mask) != 0L) {
        if (isSpare) place(spareKeys, spareItems, 0, keys, items, from, count, shift, mask)
        else place(keys, items, from, spareKeys, spareItems, 0, count, shift, mask)
        isSpare = !isSpare
      }
      pass += 1
    }
    if (isSpare) {
      System.arraycopy(spareKeys, 0, keys, from, count)
      System.arraycopy(spareItems, 0, items, from, count)
    }
  }

  private def place(
      keys: Array[Long],
      items: Array[Int],
      from: Int,
      toKeys: Array[Long],
      toItems: Array[Int],
      to: Int,
      count: Int,
      shift: Int,
      mask: Long
  ): Unit = {
    val until = from + count
    Arrays.fill(starts, 0, mask.toInt + 1, 0)
    var i = from
    while (i < until) {
      starts(((keys(i) >>> shift) & mask).toInt) += 1
      i += 1
    }
    var next = to
    var digit = 0
    while (digit <= mask.toInt) {
      val here = starts(digit)
      starts(digit) = next
      next += here
      digit += 1
    }
    i = from
    while (i < until) {
      val key = keys(i)
      val digit = ((key >>> shift) & mask).toInt
      val slot = starts(digit)
      starts(digit) = slot + 1
      toKeys(slot) = key
      toItems(slot) = items(i)
      i += 1
    }
  }
}

object RadixSort {
  // Up to this number of keys, insertion sort is used.
  private[kernel] val Few = 32
  private val Many = 4096
  private val FewBits = 8
  private val ManyBits = 11

  /** Returns the bytes that sorting `capacity` values at once takes. */
  def bytesFor(capacity: Int): Long = capacity * 12L + (4L << ManyBits)
}

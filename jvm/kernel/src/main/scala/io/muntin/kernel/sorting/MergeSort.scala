package io.muntin.kernel.sorting

/** Compares two items. */
abstract class ItemOrder {

  /** Negative if `one` is before `other`, 0 if they are equal. */
  def compare(one: Int, other: Int): Int
}

/**
 * Sorts items by comparison, such as addresses of rows whose keys are not numbers. The sort is
 * stable.
 *
 * The idea: runs of eight are sorted by insertion, and merged by pairs; two runs that are in order
 * already are not merged.
 *
 *     d a c | b e        runs of three: a c d | b e        merged: a b c d e
 *
 * Cost per item: the logarithm of their number in comparisons; one if they are in order. Source:
 * Knuth, The Art of Computer Programming 3, 5.2.4. Guarded by MergeSortSuite.
 */
final class MergeSort(order: ItemOrder) {
  private var spare = Array.emptyIntArray

  /** Sorts the items from `from` until `until`. */
  def sort(items: Array[Int], from: Int, until: Int): Unit = {
    var start = from
    while (start < until) {
      insert(items, start, math.min(start + MergeSort.Few, until))
      start += MergeSort.Few
    }
    var size = MergeSort.Few
    while (size < until - from) {
      start = from
      while (size < until - start) {
        merge(items, start, start + size, start + math.min(2 * size, until - start))
        start += math.min(2 * size, until - start)
      }
      size = math.min(2L * size, Int.MaxValue.toLong).toInt
    }
  }

  private def insert(items: Array[Int], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val item = items(i)
      var hole = i
      while (hole > from && order.compare(items(hole - 1), item) > 0) {
        items(hole) = items(hole - 1)
        hole -= 1
      }
      items(hole) = item
      i += 1
    }
  }

  private def merge(items: Array[Int], from: Int, middle: Int, until: Int): Unit =
    if (order.compare(items(middle - 1), items(middle)) > 0) {
      val count = middle - from
      if (spare.length < count) spare = new Array[Int](math.max(count, MergeSort.FewSpare))
      System.arraycopy(items, from, spare, 0, count)
      var left = 0
      var right = middle
      var to = from
      while (left < count) {
        if (right < until && order.compare(spare(left), items(right)) > 0) {
          items(to) = items(right)
          right += 1
        } else {
          items(to) = spare(left)
          left += 1
        }
        to += 1
      }
    }
}

object MergeSort {
  private[kernel] final val Few = 8
  private final val FewSpare = 1024
}

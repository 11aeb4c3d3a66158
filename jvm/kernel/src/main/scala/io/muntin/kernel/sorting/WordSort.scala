package io.muntin.kernel.sorting

/**
 * Sorts numbered rows by several columns of words, each an unsigned number. A word may be missing,
 * and is then before or after all others. The sort is stable.
 *
 * The idea: a column is read only if all columns before it are equal.
 *
 * Cost per row: RadixSort's cost for the first column, and for each further column if there are
 * ties. Guarded by WordSortSuite.
 *
 * @param words
 *   for each column, the words of the rows
 * @param missing
 *   for each row, bit i is set if its word of column i is missing; null if no word is missing
 * @param missingFirst
 *   bit i is set if rows whose word of column i is missing are before the others
 * @param rows
 *   the number of rows
 * @param most
 *   the maximum number of rows to sort at once
 */
final class WordSort(
    words: Array[Array[Long]],
    missing: Array[Byte],
    missingFirst: Int,
    rows: Int,
    most: Int
) {
  private val radix = new RadixSort(most)
  private val keys = new Array[Long](rows)
  private val apart = new Array[Int](if (missing == null) 0 else most)

  /** Sorts the row numbers from `from` until `until`. */
  def sort(order: Array[Int], from: Int, until: Int): Unit = sort(0, order, from, until)

  /** Returns true if two rows are equal in every column. */
  def areEqual(left: Int, right: Int): Boolean = {
    var column = 0
    while (
      column < words.length && isMissing(column, left) == isMissing(column, right) &&
      (isMissing(column, left) || words(column)(left) == words(column)(right))
    ) column += 1
    column == words.length
  }

  private def isMissing(column: Int, row: Int): Boolean =
    missing != null && ((missing(row) >>> column) & 1) != 0

  private def sort(column: Int, order: Array[Int], from: Int, until: Int): Unit =
    if (column < words.length && until - from > 1) {
      val first = ((missingFirst >>> column) & 1) != 0
      if (missing == null) present(column, order, from, until)
      else if (first) {
        val middle = part(column, order, from, until, first)
        sort(column + 1, order, from, middle)
        present(column, order, middle, until)
      } else {
        val middle = part(column, order, from, until, first)
        present(column, order, from, middle)
        sort(column + 1, order, middle, until)
      }
    }

  /**
   * Moves the rows with a missing word to the left, or the rows without one. Returns the start of
   * the others.
   */
  private def part(
      column: Int,
      order: Array[Int],
      from: Int,
      until: Int,
      missingLeft: Boolean
  ): Int = {
    var left = from
    var right = 0
    var i = from
    while (i < until) {
      val row = order(i)
      if (isMissing(column, row) == missingLeft) {
        order(left) = row
        left += 1
      } else {
        apart(right) = row
        right += 1
      }
      i += 1
    }
    System.arraycopy(apart, 0, order, left, right)
    left
  }

  private def present(column: Int, order: Array[Int], from: Int, until: Int): Unit = {
    val word = words(column)
    var i = from
    while (i < until) {
      keys(i) = word(order(i))
      i += 1
    }
    radix.sort(keys, order, from, until)
    if (column + 1 < words.length) {
      var start = from
      while (start < until) {
        val key = keys(start)
        // Before the next columns use the keys of these rows.
        var end = start + 1
        while (end < until && keys(end) == key) end += 1
        sort(column + 1, order, start, end)
        start = end
      }
    }
  }
}

object WordSort {

  /** Returns the bytes that it takes in addition to the words. */
  def bytesFor(rows: Int, most: Int): Long = RadixSort.bytesFor(most) + rows * 8L + most * 4L
}

package org.apache.spark.sql.muntin.execution.split

import java.lang.Long.compareUnsigned

import org.apache.spark.sql.muntin.execution.sort.SortWords

/** A cut next to rows of stripes whose order columns are numbers. */
private[split] final class NumberedCut(cut: Cut, keys: Int, words: SortWords) {
  private val size = NumberedCut.size(cut, keys, words)
  private val numbers = Array.tabulate(size)(words.columns(_)(cut.row))
  private val holdsEqual = cut.side == Cut.AfterPeers || cut.side == Cut.AfterPartition

  // For the rows of the current stripe: the first column in which some row differs from the cut's
  // number, and whether all rows are on one side of the cut, before or after it.
  private var first = 0
  private var isOneSided = false
  private var isAfterAll = false

  /** Begins with a stripe. */
  def load(rows: StripeNumbers): Unit = {
    first = 0
    while (
      first < size && rows.least(first) == numbers(first) && rows.most(first) == numbers(first)
    ) first += 1
    isAfterAll =
      if (first == size) holdsEqual else compareUnsigned(rows.most(first), numbers(first)) < 0
    isOneSided =
      first == size || isAfterAll || compareUnsigned(rows.least(first), numbers(first)) > 0
  }

  /** Writes a mark for each of the `count` rows of the current stripe: 1 if `isAfter`, else 0. */
  def mark(rows: StripeNumbers, count: Int, marks: Array[Byte]): Unit =
    if (isOneSided) java.util.Arrays.fill(marks, 0, count, (if (isAfterAll) 1 else 0).toByte)
    else if (first == size - 1) markByColumn(rows.columns(first), count, marks)
    else {
      var i = 0
      while (i < count) {
        marks(i) = if (isAfter(rows, i)) 1 else 0
        i += 1
      }
    }

  // Rows in random order are on either side of the cut: a branch in this loop would be mispredicted
  // for every other row.
  private def markByColumn(numbersOfRows: Array[Long], count: Int, marks: Array[Byte]): Unit = {
    val number = numbers(first) ^ Long.MinValue
    if (number == Long.MinValue && !holdsEqual)
      java.util.Arrays.fill(marks, 0, count, 0.toByte)
    else {
      val last = if (holdsEqual) number else number - 1L
      var i = 0
      while (i < count) {
        marks(i) = if ((numbersOfRows(i) ^ Long.MinValue) <= last) 1 else 0
        i += 1
      }
    }
  }

  /** Returns true if the cut is after the row at `i` of the current stripe. */
  def isAfter(rows: StripeNumbers, i: Int): Boolean =
    if (isOneSided) isAfterAll
    else {
      var c = first
      while (c < size && rows.columns(c)(i) == numbers(c)) c += 1
      if (c == size) holdsEqual else compareUnsigned(rows.columns(c)(i), numbers(c)) < 0
    }
}

private[split] object NumberedCut {

  /**
   * Returns true if these cuts have a number, and no null, in each column that rows are compared
   * by.
   */
  def support(cuts: Seq[Cut], keys: Int, words: SortWords): Boolean =
    cuts.forall(cut => words.missing(cut.row, size(cut, keys, words)) == 0)

  /** Returns how many columns of the order decide whether a row precedes the cut. */
  private def size(cut: Cut, keys: Int, words: SortWords): Int = cut.side match {
    case Cut.BeforePartition | Cut.AfterPartition => keys
    case Cut.BeforePeers | Cut.AfterPeers => words.size
  }
}

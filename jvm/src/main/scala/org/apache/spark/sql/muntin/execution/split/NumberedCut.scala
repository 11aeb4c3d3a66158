package org.apache.spark.sql.muntin.execution.split

import java.lang.Long.compareUnsigned

import org.apache.spark.sql.muntin.execution.sort.SortWords

/** A cut beside rows of stripes whose columns of the order are numbers. */
private[split] final class NumberedCut(cut: Cut, keys: Int, words: SortWords) {
  private val size = NumberedCut.size(cut, keys, words)
  private val numbers = Array.tabulate(size)(words.columns(_)(cut.row))
  private val holdsEqual = cut.side == Cut.AfterPeers || cut.side == Cut.AfterPartition

  // Of the rows that it has met: the first column in which not all have the cut's number, and
  // whether it lies beside them all, behind or before them.
  private var first = 0
  private var isBesideAll = false
  private var isBehindAll = false

  /** A stripe has come. */
  def meet(rows: StripeNumbers): Unit = {
    first = 0
    while (
      first < size && rows.least(first) == numbers(first) && rows.most(first) == numbers(first)
    ) first += 1
    isBehindAll =
      if (first == size) holdsEqual else compareUnsigned(rows.most(first), numbers(first)) < 0
    isBesideAll =
      first == size || isBehindAll || compareUnsigned(rows.least(first), numbers(first)) > 0
  }

  /** Writes for each of the `count` rows of the stripe that has come: 1 if `isBehind`, else 0. */
  def mark(rows: StripeNumbers, count: Int, marks: Array[Byte]): Unit =
    if (isBesideAll) java.util.Arrays.fill(marks, 0, count, (if (isBehindAll) 1 else 0).toByte)
    else if (first == size - 1) markByColumn(rows.columns(first), count, marks)
    else {
      var i = 0
      while (i < count) {
        marks(i) = if (isBehind(rows, i)) 1 else 0
        i += 1
      }
    }

  // Rows in random order lie on either side of the cut: a jump in this loop would be mispredicted
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

  /** Whether the cut lies behind the row at `i` of the stripe that has come. */
  def isBehind(rows: StripeNumbers, i: Int): Boolean =
    if (isBesideAll) isBehindAll
    else {
      var c = first
      while (c < size && rows.columns(c)(i) == numbers(c)) c += 1
      if (c == size) holdsEqual else compareUnsigned(rows.columns(c)(i), numbers(c)) < 0
    }
}

private[split] object NumberedCut {

  /** Whether these cuts have a number in each column that rows are compared by: no nulls. */
  def support(cuts: Seq[Cut], keys: Int, words: SortWords): Boolean =
    cuts.forall(cut => words.missing(cut.row, size(cut, keys, words)) == 0)

  /** How many columns of the order say whether a row lies before the cut. */
  private def size(cut: Cut, keys: Int, words: SortWords): Int = cut.side match {
    case Cut.BeforePartition | Cut.AfterPartition => keys
    case Cut.BeforePeers | Cut.AfterPeers => words.size
  }
}

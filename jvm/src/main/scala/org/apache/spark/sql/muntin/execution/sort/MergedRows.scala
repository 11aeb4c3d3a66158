package org.apache.spark.sql.muntin.execution.sort

import io.muntin.kernel.sorting.LoserTree
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Merges several sorted runs; among equal rows, rows of earlier runs come first. */
private[execution] final class MergedRows(
    runs: Array[SortedReader],
    ordering: Ordering[InternalRow]
) extends Iterator[UnsafeRow] {
  // True for each run that has a row; null before the first row is requested.
  private var hasRow: Array[Boolean] = _
  // How many runs have a row.
  private var withRow = 0
  // True if the least row has been returned: it is valid until the next row is requested.
  private var isOut = false

  private val least = new LoserTree(runs.length) {
    override protected def isBefore(one: Int, other: Int): Boolean = hasRow(one) && {
      !hasRow(other) || {
        val order = ordering.compare(runs(one).row, runs(other).row)
        order < 0 || order == 0 && one < other
      }
    }
  }

  override def hasNext: Boolean =
    if (hasRow == null) runs.exists(_.hasNext)
    else withRow > 0 && (!isOut || withRow > 1 || runs(least.winner).hasNext)

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    if (hasRow == null) begin()
    if (isOut) {
      advance(least.winner)
      least.replay()
    }
    isOut = true
    runs(least.winner).row
  }

  private def begin(): Unit = {
    hasRow = Array.fill(runs.length)(true)
    withRow = runs.length
    runs.indices.foreach(advance)
    least.begin()
  }

  private def advance(run: Int): Unit =
    if (runs(run).hasNext) runs(run).next(): Unit
    else {
      hasRow(run) = false
      withRow -= 1
    }
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions._

/** Rows drawn of many, sorted; `weights`: for how many each stands. */
final class SortedSample(rows: Seq[(UnsafeRow, Double)], order: CutOrder) {
  private val weighted: Array[(UnsafeRow, Double)] =
    rows.toArray.sortWith { case ((left, _), (right, _)) => order.rows.compare(left, right) < 0 }

  // About how many rows are before each.
  private val before: Array[Double] = weighted.map(_._2).scanLeft(0.0)(_ + _)

  def size: Int = weighted.length

  def row(index: Int): UnsafeRow = weighted(index)._1

  /** About how many rows there are. */
  def count: Double = before.last

  /** About how many rows are before the one at `index`. */
  def countBefore(index: Int): Double = before(index)

  /** For how many rows the one at `index` stands. */
  def weight(index: Int): Double = weighted(index)._2

  /** About how many rows are before `cut`. */
  def countBefore(cut: Cut): Double = before(firstBehind(cut))

  /** The first that is not before `cut`; `size` where there is none. */
  def firstBehind(cut: Cut): Int = first(i => !order.isBefore(row(i), cut))

  /** The first row before which there are so many; `size` where there are fewer. */
  def after(count: Double): Int = first(before(_) >= count)

  /** The last row before which there are no more than so many; -1 where there is none. */
  def upTo(count: Double): Int = first(before(_) > count) - 1

  /** The first that is a peer of the one at `index`. */
  def firstPeer(index: Int): Int = first(i => order.rows.compare(row(i), row(index)) >= 0)

  // The first for which that is true which is true of all that follow; `size` where it is of none.
  private def first(isBehind: Int => Boolean): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isBehind(middle)) high = middle else low = middle + 1
    }
    low
  }
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions._

/**
 * The sorted sample of a partition. Each row represents several rows, about as many as its weight.
 *
 *     rows           10   20   20   40      each with weight 5
 *     countBefore    0    5    10   15      count = 20
 *     firstPeer(2) = 1     after(7.0) = 2     upTo(7.0) = 1
 */
final class SortedSample(rows: Seq[(UnsafeRow, Double)], order: CutOrder) {
  private val weighted: Array[(UnsafeRow, Double)] =
    rows.toArray.sortWith { case ((left, _), (right, _)) => order.rows.compare(left, right) < 0 }

  // Roughly how many rows of the partition precede each row of the sample.
  private val before: Array[Double] = weighted.map(_._2).scanLeft(0.0)(_ + _)

  def size: Int = weighted.length

  def row(index: Int): UnsafeRow = weighted(index)._1

  /** Returns roughly how many rows the partition has. */
  def count: Double = before.last

  /** Returns roughly how many rows precede the row at `index`. */
  def countBefore(index: Int): Double = before(index)

  /** Returns how many rows the row at `index` represents. */
  def weight(index: Int): Double = weighted(index)._2

  /** Returns roughly how many rows precede `cut`. */
  def countBefore(cut: Cut): Double = before(firstBehind(cut))

  /** Returns the first row of the sample that is not before `cut`; `size` if there is none. */
  def firstBehind(cut: Cut): Int = first(i => !order.isBefore(row(i), cut))

  /**
   * Returns the first row of the sample with at least `count` rows before it; `size` if there is
   * none.
   */
  def after(count: Double): Int = first(before(_) >= count)

  /**
   * Returns the last row of the sample with at most `count` rows before it; -1 if there is none.
   */
  def upTo(count: Double): Int = first(before(_) > count) - 1

  /** Returns the first row of the sample that is a peer of the row at `index`. */
  def firstPeer(index: Int): Int = first(i => order.rows.compare(row(i), row(index)) >= 0)

  // Returns the first row for which a condition is true, if it is then true for all later rows;
  // `size` if there is none.
  private def first(isAfter: Int => Boolean): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isAfter(middle)) high = middle else low = middle + 1
    }
    low
  }
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The sorted rows of a partition in segments, cut at `cuts`, which are in order.
 *
 *     cuts before     30   50   80
 *     segments        0: until 30   1: 30 until 50   2: 50 until 80   3: from 80
 *     chunk           its own rows from 50 until 80, its halo from 30: reads segments 1 and 2
 */
final class Segments(val cuts: Array[Cut]) extends Serializable {

  def size: Int = cuts.length + 1

  /** Returns the segment of a row; the search begins at segment `near`. */
  def of(row: InternalRow, near: Int, order: CutOrder): Int =
    if (isAfter(row, near - 1, order) && !isAfter(row, near, order)) near
    else first(i => order.isBefore(row, cuts(i)))

  /** Returns the first segment with rows that are not before `cut`. */
  def from(cut: Cut, order: CutOrder): Int = first(i => order.gt(cuts(i), cut))

  /** Returns the segment after the last segment that has rows before `cut`. */
  def until(cut: Cut, order: CutOrder): Int = first(i => order.gteq(cuts(i), cut)) + 1

  private def isAfter(row: InternalRow, cut: Int, order: CutOrder): Boolean =
    cut < 0 || (cut < cuts.length && !order.isBefore(row, cuts(cut)))

  // Returns the first cut for which a condition is true, if it is then true for all later cuts; the
  // number of cuts, if there is none.
  private def first(isTrue: Int => Boolean): Int = {
    var low = 0
    var high = cuts.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isTrue(middle)) high = middle else low = middle + 1
    }
    low
  }
}

object Segments {

  /** Returns the segments for chunks and their halos. */
  def of(chunks: Seq[Chunk], halo: Halo, order: CutOrder): Segments = {
    val cuts = chunks.flatMap(_.from).flatMap { c =>
      // Rows before a halo are counted from the first row of the partition on.
      val counted = if (halo.isCounted) Seq(Cut(c.cut.row, Cut.BeforePartition)) else Nil
      counted ++ c.from.headOption :+ c.cut
    } ++ chunks.flatMap(_.until).flatMap(_.until.headOption)
    val sorted = cuts.sorted(order)
    val distinct = sorted.headOption ++
      sorted.zip(sorted.drop(1)).collect { case (a, b) if !order.equiv(a, b) => b }
    new Segments(distinct.toArray)
  }
}

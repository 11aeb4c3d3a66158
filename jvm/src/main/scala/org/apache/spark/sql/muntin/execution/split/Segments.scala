package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The sorted rows of a partition in segments: from each of `cuts`, which are in order, until the
 * next.
 */
final class Segments(cuts: Array[Cut]) extends Serializable {

  def size: Int = cuts.length + 1

  /** The one that has the row; `near`: where it is looked for first. */
  def of(row: InternalRow, near: Int, order: CutOrder): Int =
    if (isBehind(row, near - 1, order) && !isBehind(row, near, order)) near
    else first(i => order.isBefore(row, cuts(i)))

  /** The first that has rows which are not before `cut`. */
  def from(cut: Cut, order: CutOrder): Int = first(i => order.gt(cuts(i), cut))

  /** Behind the last that has rows before `cut`. */
  def until(cut: Cut, order: CutOrder): Int = first(i => order.gteq(cuts(i), cut)) + 1

  private def isBehind(row: InternalRow, cut: Int, order: CutOrder): Boolean =
    cut < 0 || (cut < cuts.length && !order.isBefore(row, cuts(cut)))

  // The first cut for which that is true which is true of all that follow; their number where it is
  // of none.
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

  /** Those of which chunks and their halos are made up. */
  def of(chunks: Seq[Chunk], halo: Halo, order: CutOrder): Segments = {
    val cuts = chunks.flatMap(_.from).flatMap { c =>
      // What comes before a halo is counted from the first row of its partition on.
      val counted = if (halo.isCounted) Seq(Cut(c.cut.row, Cut.BeforePartition)) else Nil
      counted ++ c.from.headOption :+ c.cut
    } ++ chunks.flatMap(_.until).flatMap(_.until.headOption)
    val sorted = cuts.sorted(order)
    val distinct = sorted.headOption ++
      sorted.zip(sorted.drop(1)).collect { case (a, b) if !order.equiv(a, b) => b }
    new Segments(distinct.toArray)
  }
}

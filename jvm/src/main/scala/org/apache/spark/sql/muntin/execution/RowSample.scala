package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.util.random.XORShiftRandom

/** Rows, of which only what they are sorted by is there, and out of how many they were drawn. */
final case class RowSample(count: Long, rows: Array[UnsafeRow])

object RowSample {
  val Size: Int = 4096

  /** Draws rows with equal chances (Vitter's algorithm R). */
  def draw(rows: Iterator[InternalRow], order: Seq[SortOrder], input: Seq[Attribute]): RowSample = {
    val read = AttributeSet(order.flatMap(_.references))
    val projection = UnsafeProjection.create(
      input.map(a => if (read.contains(a)) a else Literal(null, a.dataType)),
      input
    )
    val drawn = new Array[UnsafeRow](Size)
    val random = new XORShiftRandom(Size.toLong)
    var count = 0L
    while (rows.hasNext) {
      val row = rows.next()
      val place = if (count < Size) count else (random.nextDouble() * (count + 1L).toDouble).toLong
      if (place < Size) drawn(place.toInt) = projection(row).copy()
      count += 1
    }
    RowSample(count, drawn.take(math.min(count, Size.toLong).toInt))
  }
}

/** The samples of several tasks together, sorted; each row stands for as many as it was drawn out of. */
final class SortedSample(samples: Seq[RowSample], order: CutOrder) {
  private val weighted: Array[(UnsafeRow, Double)] =
    samples
      .flatMap(s => s.rows.map(row => row -> s.count.toDouble / s.rows.length))
      .toArray
      .sortWith { case ((left, _), (right, _)) => order.rows.compare(left, right) < 0 }

  // About how many rows are before each.
  private val before: Array[Double] = weighted.map(_._2).scanLeft(0.0)(_ + _)

  def size: Int = weighted.length

  def row(index: Int): UnsafeRow = weighted(index)._1

  /** About how many rows there are. */
  def count: Double = before.last

  /** About how many rows are before the one at `index`. */
  def countBefore(index: Int): Double = before(index)

  /** About how many rows are before `cut`. */
  def countBefore(cut: Cut): Double = before(first(i => !order.isBefore(row(i), cut)))

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

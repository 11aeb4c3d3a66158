package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

/**
 * How many rows away from one of a sample so many rows lie for which a condition is true, as far as
 * the sample tells: about as many of the rows are such as of the nearest that it has, from the
 * first of these on where that is unusually far. With some room, since to read once more costs more
 * than a few rows too many. Without end, where the sample has too few.
 */
private final class SoughtDistance(
    sample: SortedSample,
    order: CutOrder,
    holds: (Expression, UnsafeRow) => Boolean
) {
  import SoughtDistance._

  def before(index: Int, rows: RowsWhere): Double =
    distance(rows, (index - 1 to 0 by -1).iterator.takeWhile(isTogether(index)))

  def after(index: Int, rows: RowsWhere): Double =
    distance(rows, (index until sample.size).iterator.takeWhile(isTogether(index)))

  private def isTogether(index: Int)(other: Int): Boolean =
    order.isSamePartition(sample.row(index), sample.row(other))

  private def distance(rows: RowsWhere, places: Iterator[Int]): Double = {
    val wanted = (rows.count + 3.0 * math.sqrt(rows.count.toDouble) + 2.0) * Room
    var passed = 0.0
    var gap = 0.0
    var found = 0.0
    var seen = 0
    while (places.hasNext && (seen < Enough || found < wanted)) {
      val place = places.next()
      passed += sample.weight(place)
      if (holds(rows.condition, sample.row(place))) {
        found += sample.weight(place)
        seen += 1
        if (seen == 1) gap = passed
      }
    }
    val share = wanted / found
    val usual = 4.0 * (passed - gap) / math.max(1, seen - 1)
    if (share > 1.0) Double.PositiveInfinity
    else if (gap > usual) gap + (passed - gap) * share
    else passed * share
  }
}

private object SoughtDistance {

  /** From so many rows it can be told how frequent they are. */
  private val Enough = 8
  private val Room = 1.25
}

package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

/**
 * Estimates from a sample the distance, in rows, from one of its rows to the n-th row for which a
 * condition is true. The estimate uses the frequency of such rows near the row. If the nearest of
 * them is unusually far away, its distance is added, and the frequency counts from there. The
 * estimate is infinite if the sample has too few such rows.
 *
 *     n = 1; the condition is true for every fourth row of the sample
 *     wanted, with margin  7.5 such rows
 *     the estimate         30 rows away
 *
 * The estimate includes a margin, since reading a partition again costs more than reading a few
 * unnecessary rows.
 */
private final class MatchDistanceEstimate(
    sample: SortedSample,
    order: CutOrder,
    holds: (Expression, UnsafeRow) => Boolean
) {
  import MatchDistanceEstimate._

  def before(index: Int, rows: RowsWhere): Double =
    distance(rows, (index - 1 to 0 by -1).iterator.takeWhile(isTogether(index)))

  def after(index: Int, rows: RowsWhere): Double =
    distance(rows, (index until sample.size).iterator.takeWhile(isTogether(index)))

  private def isTogether(index: Int)(other: Int): Boolean =
    order.isSamePartition(sample.row(index), sample.row(other))

  private def distance(rows: RowsWhere, places: Iterator[Int]): Double = {
    val enoughMatches = (rows.count + 3.0 * math.sqrt(rows.count.toDouble) + 2.0) * Room
    var passed = 0.0
    var gap = 0.0
    var matches = 0.0
    var visited = 0
    while (places.hasNext && (visited < Enough || matches < enoughMatches)) {
      val place = places.next()
      passed += sample.weight(place)
      if (holds(rows.condition, sample.row(place))) {
        matches += sample.weight(place)
        visited += 1
        if (visited == 1) gap = passed
      }
    }
    val share = enoughMatches / matches
    val usual = 4.0 * (passed - gap) / math.max(1, visited - 1)
    if (share > 1.0) Double.PositiveInfinity
    else if (gap > usual) gap + (passed - gap) * share
    else passed * share
  }
}

private object MatchDistanceEstimate {

  /** The number of rows with a true condition that suffices to estimate their frequency. */
  private val Enough = 8
  private val Room = 1.25
}

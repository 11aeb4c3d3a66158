package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Finds how far a halo must extend to contain the `rows.count` rows nearest to a cut for which a
 * condition is true. Rows arrive in any order; all are on one side of the cut.
 *
 *     cut before t = 50, count = 2, condition p
 *     rows arrive  10 p   40   30 p   45 p
 *     kept         10     10   10 30  30 45        45 is nearer than 10, and replaces it
 *     reach        before t = 30
 *
 * It keeps only the sort columns. Once `rows.count` rows are kept, most rows cost one comparison,
 * with the furthest kept row.
 */
final class MatchTracker(rows: RowsWhere, cut: Cut, order: CutOrder, isBefore: Boolean) {
  private val holds = Predicate.create(rows.condition, order.input)
  private val byDistance = if (isBefore) order.rows.reverse else order.rows
  private val nearest = mutable.PriorityQueue.empty[InternalRow](byDistance)

  /** Adds a row on that side of the cut, of any partition. */
  def add(row: InternalRow): Unit =
    if (nearest.size < rows.count) {
      if (order.isSamePartition(row, cut.row) && holds.eval(row)) nearest += order.orderOf(row)
    } else if (byDistance.lt(row, nearest.head) && holds.eval(row)) {
      // All rows between the furthest kept row and the cut are of one partition.
      nearest.dequeue(): Unit
      nearest += order.orderOf(row)
    }

  /** Returns true if `rows.count` rows have been found. */
  def isFull: Boolean = nearest.size >= rows.count

  /**
   * Returns the end of the halo: just beyond the furthest kept row, or at the partition's end if
   * the partition has fewer than `rows.count` such rows.
   */
  def reach: Cut = (!isFull, isBefore) match {
    case (true, true) => Cut(cut.row, Cut.BeforePartition)
    case (true, false) => Cut(cut.row, Cut.AfterPartition)
    case (false, true) => Cut(furthest, Cut.BeforePeers)
    case (false, false) => Cut(furthest, Cut.AfterPeers)
  }

  private def furthest: UnsafeRow = nearest.head.asInstanceOf[UnsafeRow]
}

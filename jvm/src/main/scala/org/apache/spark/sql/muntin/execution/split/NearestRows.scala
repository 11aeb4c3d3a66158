package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Finds, among the rows on one side of a cut, which come in any order, those for which a condition
 * is true, and of these so many that are nearest to it: how far a halo has to go to hold them. What
 * rows are sorted by is kept of as many; of most of the others that is compared with the furthest
 * of these, and nothing else looked at.
 */
final class NearestRows(rows: RowsWhere, cut: Cut, order: CutOrder, isBefore: Boolean) {
  private val holds = Predicate.create(rows.condition, order.input)
  private val byDistance = if (isBefore) order.rows.reverse else order.rows
  private val found = mutable.PriorityQueue.empty[InternalRow](byDistance)

  /** A row on that side, of any partition. */
  def see(row: InternalRow): Unit =
    if (found.size < rows.count) {
      if (order.isSamePartition(row, cut.row) && holds.eval(row)) found += order.orderOf(row)
    } else if (byDistance.lt(row, found.head) && holds.eval(row)) {
      // Between that and the cut all are of one partition.
      found.dequeue(): Unit
      found += order.orderOf(row)
    }

  /** Whether as many have been found. */
  def isFull: Boolean = found.size >= rows.count

  /** Where the halo ends that just holds them; at the partition's end, where it has fewer. */
  def reach: Cut = (!isFull, isBefore) match {
    case (true, true) => Cut(cut.row, Cut.BeforePartition)
    case (true, false) => Cut(cut.row, Cut.AfterPartition)
    case (false, true) => Cut(furthest, Cut.BeforePeers)
    case (false, false) => Cut(furthest, Cut.AfterPeers)
  }

  private def furthest: UnsafeRow = found.head.asInstanceOf[UnsafeRow]
}

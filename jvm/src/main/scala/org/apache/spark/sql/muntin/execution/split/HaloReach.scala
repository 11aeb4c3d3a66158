package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.frames.RangeKeys
import org.apache.spark.sql.catalyst.expressions._

/**
 * Finds where the halo of a cut ends, from the offsets of RANGE frames: with RANGE 5 PRECEDING the
 * halo of a cut before t = 50 begins before t = 45.
 */
private final class HaloReach(halo: Halo, order: CutOrder) {
  import order.input

  private val types = input.map(_.dataType).toArray

  /**
   * Returns the cut that no frame of `row`, or of a later row, reaches back over; None if it is
   * unknown.
   */
  def from(row: UnsafeRow): Option[Cut] = furthest(row, halo.rangesBefore, isBefore = true)

  /**
   * Returns the cut that no frame of a row before `row` reaches forward over; None if it is
   * unknown.
   */
  def until(row: UnsafeRow): Option[Cut] = furthest(row, halo.rangesAfter, isBefore = false)

  private def furthest(row: UnsafeRow, ranges: Seq[RangeKeys], isBefore: Boolean): Option[Cut] = {
    val all = ranges.map(bound(row, _, isBefore))
    val own = Cut(row, Cut.BeforePeers)
    if (all.exists(_.isEmpty)) None
    else {
      val cuts = own +: all.flatten
      Some(if (isBefore) cuts.min(order) else cuts.max(order))
    }
  }

  private def bound(row: UnsafeRow, keys: RangeKeys, isBefore: Boolean): Option[Cut] = {
    val ordinal = input.indexWhere(_.semanticEquals(keys.order.child))
    val own = Cut(row, Cut.BeforePeers)
    // Frames of nulls contain only nulls, and nulls are peers.
    if (row.isNullAt(ordinal)) Some(own)
    else {
      val value = keys.reach(row.get(ordinal, types(ordinal)), isBefore)
      val cut = value.map { v =>
        Cut(order.changed(row, ordinal, v), if (isBefore) Cut.BeforePeers else Cut.AfterPeers)
      }
      // A sum that has overflowed is on the wrong side.
      cut.filter(c => if (isBefore) order.lteq(c, own) else order.gteq(c, own))
    }
  }
}

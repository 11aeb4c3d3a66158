package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.muntin.execution.frames.RangeKeys
import org.apache.spark.sql.catalyst.expressions._

/**
 * Where the halo of a cut ends, as far as it is one of values: what RANGE frames reach from the
 * cut's row.
 */
private final class HaloReach(halo: Halo, order: CutOrder) {
  import order.input

  private val types = input.map(_.dataType).toArray

  /**
   * The cut that no frame of the row, or of one behind it, reaches over. None where that is not
   * known.
   */
  def from(row: UnsafeRow): Option[Cut] = furthest(row, halo.rangesBefore, behind = true)

  /** The same of frames of rows that are before the row. */
  def until(row: UnsafeRow): Option[Cut] = furthest(row, halo.rangesAfter, behind = false)

  private def furthest(row: UnsafeRow, ranges: Seq[RangeKeys], behind: Boolean): Option[Cut] = {
    val all = ranges.map(bound(row, _, behind))
    val own = Cut(row, Cut.BeforePeers)
    if (all.exists(_.isEmpty)) None
    else {
      val cuts = own +: all.flatten
      Some(if (behind) cuts.min(order) else cuts.max(order))
    }
  }

  private def bound(row: UnsafeRow, keys: RangeKeys, behind: Boolean): Option[Cut] = {
    val ordinal = input.indexWhere(_.semanticEquals(keys.order.child))
    val own = Cut(row, Cut.BeforePeers)
    // Nulls reach nulls alone, and those are peers.
    if (row.isNullAt(ordinal)) Some(own)
    else {
      val value = keys.reach(row.get(ordinal, types(ordinal)), behind)
      val cut = value.map { v =>
        Cut(order.changed(row, ordinal, v), if (behind) Cut.BeforePeers else Cut.AfterPeers)
      }
      // A sum that has wrapped is on the other side.
      cut.filter(c => if (behind) order.lteq(c, own) else order.gteq(c, own))
    }
  }
}

package io.muntin.kernel.extremes

import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.Column

/**
 * An accumulator that picks one row of the frame: the greatest, the first, the third. The pick is a
 * position; the query's value is in a column at that position.
 *
 * If rows leave, the column holds the whole frame, and the pick is a position in it. If the frame
 * only grows, the column does not need to hold it: the pick stores the value in a separate cell.
 */
abstract class Pick extends Accumulator {

  /** The column to which `position` refers. */
  def values: Column

  /**
   * Returns the position of the picked row's value in `values`; -1 if the frame has no such row.
   */
  def position: Long
}

object Pick {
  val None: Long = -1L
}

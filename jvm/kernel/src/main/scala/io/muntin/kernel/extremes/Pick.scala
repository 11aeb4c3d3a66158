package io.muntin.kernel.extremes

import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.Column

/**
 * An accumulator whose result is one row of the frame: the greatest, the first, the third. What
 * it picks is a position; what a query sees is the value that a column has there.
 *
 * Where rows leave, the column still holds the whole frame, and the pick is a position in it. Where
 * a frame only grows, the column need not hold it: the pick keeps the value in a cell of its own.
 */
abstract class Pick extends Accumulator {

  /** The column in which `position` counts. */
  def values: Column

  /** Where the picked row's value lies in `values`; -1 where the frame has no such row. */
  def position: Long
}

object Pick {
  val None: Long = -1L
}

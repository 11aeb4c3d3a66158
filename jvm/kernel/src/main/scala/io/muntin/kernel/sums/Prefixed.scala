package io.muntin.kernel.sums

import io.muntin.kernel.OrderInsensitive
import io.muntin.kernel.columns.LongColumn

/**
 * An accumulator whose state for the rows of a window equals, to the last bit, its state for all
 * rows before the window's end minus its state for all rows before the window's start. Its state
 * can be written as a few longs, and subtracted from a state of more rows.
 *
 * Guarded by NonMonotonicSuite.
 */
trait Prefixed extends OrderInsensitive {

  /** Appends the state to a column. */
  private[kernel] def write(to: LongColumn): Unit

  /** Sets the state to the state written at a position. */
  private[kernel] def read(written: LongColumn, at: Long): Unit

  /** Subtracts the state written at a position. */
  private[kernel] def take(written: LongColumn, at: Long): Unit
}

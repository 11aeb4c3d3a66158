package io.muntin.kernel.sums

import io.muntin.kernel.OrderInsensitive
import io.muntin.kernel.columns.LongColumn

/**
 * An accumulator that holds the same for the rows of a window as for the rows before the window's
 * end without those before its beginning, to the last bit. What it holds can be written as a few
 * longs, and taken from what it holds of more rows.
 *
 * Guarded by NonMonotonicSuite.
 */
trait Prefixed extends OrderInsensitive {

  /** Appends what it holds to a column. */
  private[kernel] def write(to: LongColumn): Unit

  /** Becomes what was written at a position. */
  private[kernel] def read(written: LongColumn, at: Long): Unit

  /** Takes away what was written at a position. */
  private[kernel] def take(written: LongColumn, at: Long): Unit
}

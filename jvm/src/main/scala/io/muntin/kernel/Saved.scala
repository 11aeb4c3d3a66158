package io.muntin.kernel

import java.io.{DataInput, DataOutput}

/**
 * An accumulator whose state is small whatever its window holds, where no row leaves: a stream keeps the
 * state instead of the rows.
 *
 * Guarded by SavedSuite: what is restored answers as what was saved, whatever enters next.
 */
trait Saved { this: Accumulator =>

  /** Writes all that it has made of the rows that have entered. */
  def save(out: DataOutput): Unit

  /** Whether what it makes of rows is the same in whatever order they enter, to the last bit. */
  def takesAnyOrder: Boolean = anyOrder

  /** Becomes what was saved, in the place of anything it held. */
  def restore(in: DataInput): Unit
}

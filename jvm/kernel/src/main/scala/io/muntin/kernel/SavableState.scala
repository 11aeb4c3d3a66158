package io.muntin.kernel

/**
 * An accumulator whose state is small whatever its window holds, where no row leaves: a stream
 * keeps the state instead of the rows.
 *
 * Guarded by SavableStateSuite: a restored accumulator has the results of the saved one, whatever
 * enters next.
 */
trait SavableState extends AggregateState { this: Accumulator =>

  /** Whether what it makes of rows is the same in whatever order they enter, to the last bit. */
  def takesAnyOrder: Boolean = anyOrder

  /**
   * Returns true if only the last `n` rows count, so that earlier rows do not matter.
   */
  def forgets: Boolean = false
}

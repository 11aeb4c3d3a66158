package io.muntin.kernel

/**
 * An accumulator whose state is small for any window that no row leaves. A stream stores the state
 * instead of the rows.
 *
 * Guarded by SavableStateSuite: after any further rows, a restored accumulator has the results of
 * the saved one.
 */
trait SavableState extends AggregateState { this: Accumulator =>

  /**
   * Returns true if the state does not depend, to the last bit, on the order in which rows enter.
   */
  def takesAnyOrder: Boolean = anyOrder

  /**
   * Returns true if only the last `n` rows count, so that earlier rows do not matter.
   */
  def forgets: Boolean = false
}

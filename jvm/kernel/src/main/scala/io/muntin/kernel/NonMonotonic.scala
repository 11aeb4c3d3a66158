package io.muntin.kernel

/**
 * An accumulator that computes the result of any window: windows may move back and forth, and have
 * any width. It has a reader of the rows. No window begins before the reader's floor, and all rows
 * from the floor to the end of a window are available.
 *
 * Guarded by NonMonotonicSuite: the results equal the results of an accumulator whose rows enter
 * one by one.
 */
trait NonMonotonic extends Accumulator {

  /** Sets the window to the rows from `from` until `until`, at least one. */
  def evaluate(from: Long, until: Long): Unit

  /** Forgets the rows before `first`, which no later window contains. */
  def evictBefore(first: Long): Unit

  final override def enter(from: Long, until: Long): Unit = throw leaping

  final override def leave(from: Long, until: Long): Unit = throw leaping

  private def leaping = new UnsupportedOperationException("its windows leap")
}

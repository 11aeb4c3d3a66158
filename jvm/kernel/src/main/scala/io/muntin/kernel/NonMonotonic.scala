package io.muntin.kernel

/**
 * An accumulator that finds its result for a window wherever the window lies: windows may go back
 * and forth, and be of any width. It is made with a reader of the rows: no window begins before the
 * reader's floor, and from there up to the end of a window all rows are there.
 *
 * Guarded by NonMonotonicSuite: the results are those of an accumulator whose rows enter one by
 * one.
 */
trait NonMonotonic extends Accumulator {

  /** The window has the rows from `from` until `until`; there is one at least. */
  def evaluate(from: Long, until: Long): Unit

  /** No later window has a row before `first`; only now these rows are forgotten. */
  def evictBefore(first: Long): Unit

  final override def enter(from: Long, until: Long): Unit = throw leaping

  final override def leave(from: Long, until: Long): Unit = throw leaping

  private def leaping = new UnsupportedOperationException("its windows leap")
}

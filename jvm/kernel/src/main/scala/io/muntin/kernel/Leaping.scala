package io.muntin.kernel

/**
 * An accumulator that finds its result for a window wherever the window lies: windows may go back
 * and forth, and be of any width. All rows of the partition up to the end of a window are there.
 *
 * Guarded by LeapingSuite: the results are those of an accumulator whose rows enter one by one.
 */
trait Leaping extends Accumulator {

  /** The window has the rows from `from` until `until`; there is one at least. */
  def leap(from: Long, until: Long): Unit

  final override def enter(from: Long, until: Long): Unit = throw leaping

  final override def leave(from: Long, until: Long): Unit = throw leaping

  private def leaping = new UnsupportedOperationException("its windows leap")
}

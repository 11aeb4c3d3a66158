package io.muntin.kernel.motions

/** Points on a time line, in order and without end in both directions. */
abstract class Ticks {

  /** Returns the first tick at or after `time`. */
  def atOrAfter(time: Long): Long

  /** Returns the last tick before `time`. */
  def before(time: Long): Long
}

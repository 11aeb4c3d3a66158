package io.muntin.kernel.motions

/** Points on a line of times, in order and without end on either side. */
abstract class Ticks {

  /** The first tick at or after `time`. */
  def atOrAfter(time: Long): Long

  /** The last tick before `time`. */
  def before(time: Long): Long
}

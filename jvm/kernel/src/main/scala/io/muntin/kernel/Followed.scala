package io.muntin.kernel

/**
 * An accumulator of frames that end with a split partition: the rows after a chunk are in every
 * frame of the chunk. They are added first, once, in any order, and never leave.
 *
 *     partition   [chunk: 0 1 2 3][after: 4 5 6]
 *     calls       follow(4, 7)  enter(0, 4)  leave(0, 1)  leave(1, 2) …
 *
 * Guarded by FollowedSuite: the result equals the result if these rows enter last, in order.
 */
trait Followed extends Accumulator {

  /** Adds the rows from `from` until `until` to the frame until it is cleared. */
  def follow(from: Long, until: Long): Unit
}

object Followed {

  /**
   * Returns true if the accumulator is `Followed`, or does not need to be: an order-insensitive
   * accumulator that does not read rows by position treats these rows like others.
   */
  def supports(accumulator: Accumulator): Boolean = accumulator match {
    case _: Followed => true
    case _: SavableState => accumulator.anyOrder && !accumulator.readsFrame
    case _ => false
  }
}

package io.muntin.kernel

/**
 * An accumulator that hears of rows behind all that enter, before any of these do. They are in
 * every frame of the partition: they never leave, and are seen once, in any order.
 *
 * Guarded by FollowedSuite: it answers as if they had entered last, in their order.
 */
trait Followed extends Accumulator {

  /**
   * The rows from `from` until `until` are in the frame until it is cleared, whatever enters and
   * leaves.
   */
  def follow(from: Long, until: Long): Unit
}

object Followed {

  /**
   * Whether it is one, or need not be: what takes rows in any order, and keeps nothing of them by
   * their place, does not tell those behind from others.
   */
  def supports(accumulator: Accumulator): Boolean = accumulator match {
    case _: Followed => true
    case _: Saved => accumulator.anyOrder && !accumulator.readsFrame
    case _ => false
  }
}

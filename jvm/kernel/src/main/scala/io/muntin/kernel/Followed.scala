package io.muntin.kernel

/**
 * An accumulator of frames that end with the partition, where the partition is split: the rows
 * behind a chunk are in every frame of the chunk. They come first, once, in any order, and never
 * leave.
 *
 *     partition   [chunk: 0 1 2 3][behind: 4 5 6]
 *     calls       follow(4, 7)  enter(0, 4)  leave(0, 1)  leave(1, 2) …
 *
 * Guarded by FollowedSuite: the result is as if these rows had entered last, in their order.
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
    case _: SavableState => accumulator.anyOrder && !accumulator.readsFrame
    case _ => false
  }
}

package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * What comes before and what comes after each of some small numbers, in lists that run through
 * them: each is in one list, at most.
 *
 * Cost: 8 bytes per number, which go to disk where memory is short. Guarded by LinkedRowsSuite.
 */
private[kernel] final class Links(memory: Memory) {
  import Links._

  // What comes after in the upper half, what comes before in the lower.
  private val pairs = new Longs(memory)

  /** What comes after; None at the end. */
  def after(item: Int): Int = (pairs(item) >> 32).toInt

  def before(item: Int): Int = pairs(item).toInt

  /** Makes room for `item`. */
  def reserve(item: Int): Unit = pairs.makeRoom(item)

  /**
   * Appends `item`, for which there is room, to the list whose last item is `last`, or None.
   */
  def append(item: Int, last: Int): Unit = {
    pairs(item) = paired(None, last)
    if (last != None) pairs(last) = paired(item, before(last))
  }

  /** Takes `item` out of its list. */
  def remove(item: Int): Unit = {
    val left = before(item)
    val right = after(item)
    if (left != None) pairs(left) = paired(right, before(left))
    if (right != None) pairs(right) = paired(after(right), left)
  }

  /** Forgets all lists, and the room for them. */
  def clear(): Unit = pairs.clear()

  def close(): Unit = pairs.close()
}

private[kernel] object Links {
  val None: Int = -1

  private def paired(after: Int, before: Int): Long = after.toLong << 32 | (before & 0xffffffffL)
}

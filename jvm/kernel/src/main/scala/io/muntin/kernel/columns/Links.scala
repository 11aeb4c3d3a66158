package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * The predecessor and the successor of each of some small numbers, in linked lists. Each number is
 * in at most one list.
 *
 * Cost: 8 bytes per number, which can be spilled. Guarded by LinkedRowsSuite.
 */
private[kernel] final class Links(memory: Memory) {
  import Links._

  // The successor in the upper half, the predecessor in the lower half.
  private val pairs = new Longs(memory)

  /** Returns the successor; None at the end. */
  def after(item: Int): Int = (pairs(item) >> 32).toInt

  def before(item: Int): Int = pairs(item).toInt

  /** Makes room for `item`. */
  def reserve(item: Int): Unit = pairs.makeRoom(item)

  /** Appends `item`, which has room, to the list whose last item is `last`, or None. */
  def append(item: Int, last: Int): Unit = {
    pairs(item) = paired(None, last)
    if (last != None) pairs(last) = paired(item, before(last))
  }

  /** Removes `item` from its list. */
  def remove(item: Int): Unit = {
    val left = before(item)
    val right = after(item)
    if (left != None) pairs(left) = paired(right, before(left))
    if (right != None) pairs(right) = paired(after(right), left)
  }

  /** Forgets all lists, and releases their room. */
  def clear(): Unit = pairs.clear()

  def close(): Unit = pairs.close()
}

private[kernel] object Links {
  val None: Int = -1

  private def paired(after: Int, before: Int): Long = after.toLong << 32 | (before & 0xffffffffL)
}

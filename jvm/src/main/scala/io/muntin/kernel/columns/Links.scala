package io.muntin.kernel.columns

import java.util

import io.muntin.kernel.memory.Memory

/**
 * What comes before and what comes after each of some small numbers, in lists that run through them:
 * each is in one list, at most.
 *
 * Cost: 8 bytes per number. Guarded by LinkedRowsSuite.
 */
private[kernel] final class Links(memory: Memory) {
  import Links._

  private var nexts = new Array[Int](InitialCapacity)
  private var previous = new Array[Int](InitialCapacity)

  memory.acquire(bytesOf(InitialCapacity))

  /** What comes after; None at the end. */
  def after(item: Int): Int = nexts(item)

  def before(item: Int): Int = previous(item)

  /** Makes room for `item`. */
  def reserve(item: Int): Unit =
    if (item >= nexts.length) {
      val capacity = Integer.highestOneBit(item) * 2
      memory.acquire(bytesOf(capacity))
      memory.release(bytesOf(nexts.length))
      nexts = util.Arrays.copyOf(nexts, capacity)
      previous = util.Arrays.copyOf(previous, capacity)
    }

  /** Puts `item`, for which there is room, at the end of the list of which `last` is the last, or None. */
  def append(item: Int, last: Int): Unit = {
    nexts(item) = None
    previous(item) = last
    if (last != None) nexts(last) = item
  }

  /** Takes `item` out of its list. */
  def remove(item: Int): Unit = {
    val left = previous(item)
    val right = nexts(item)
    if (left != None) nexts(left) = right
    if (right != None) previous(right) = left
  }

  def close(): Unit = memory.release(bytesOf(nexts.length))
}

private[kernel] object Links {
  val None: Int = -1
  private val InitialCapacity = 64

  private def bytesOf(capacity: Int): Long = 8L * capacity
}

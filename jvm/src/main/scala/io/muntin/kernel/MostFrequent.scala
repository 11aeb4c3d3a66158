package io.muntin.kernel

import java.util

/**
 * The value that most rows of the frame hold, of a tally of one column; among equally frequent ones
 * the least (`sign` 1) or the greatest (`sign` -1), so that it is a function of the rows alone.
 *
 * A tournament over the codes: each inner node holds the winner of the two below it. A row changes
 * one count, so only the matches on the way up from that code are played again, until one of them has
 * the winner that it had and nothing about it has changed.
 *
 * Cost per row: at most one match per level, log2 of the distinct values; 8 bytes per distinct value.
 * Guarded by MostFrequentSuite.
 */
final class MostFrequent(memory: Memory, tally: Tally, sign: Int) extends Tally.Listener {
  import MostFrequent._

  private val values = tally.values(0)
  // Node n has the children 2n and 2n + 1; leaf `leaves + code` is that code, or none.
  private var leaves = InitialLeaves
  private var winners = newWinners(leaves)

  memory.acquire(bytesOf(leaves))
  tally.tell(this)

  /** The code of the value in the tally; -1 where the frame has none. */
  def code: Int = winners(1)

  override def entered(code: Int, position: Long): Unit = {
    if (code >= leaves) grow(code)
    play(code)
  }

  override def left(code: Int, position: Long): Unit = play(code)

  private def play(code: Int): Unit = {
    var node = leaves + code
    winners(node) = if (tally.count(code) > 0L) code else NoCode
    var settled = false
    while (node > 1 && !settled) {
      node >>= 1
      val winner = better(winners(2 * node), winners(2 * node + 1))
      settled = winner == winners(node) && winner != code
      winners(node) = winner
    }
  }

  private def better(a: Int, b: Int): Int =
    if (b < 0) a
    else if (a < 0) b
    else {
      val c = java.lang.Long.compare(tally.count(a), tally.count(b))
      if (c > 0 || (c == 0 && sign * values.compare(a.toLong, b.toLong) < 0)) a else b
    }

  private def grow(code: Int): Unit = {
    val capacity = Integer.highestOneBit(code) * 2
    memory.acquire(bytesOf(capacity))
    memory.release(bytesOf(leaves))
    val larger = newWinners(capacity)
    System.arraycopy(winners, leaves, larger, capacity, leaves)
    var node = capacity - 1
    while (node >= 1) {
      larger(node) = better(larger(2 * node), larger(2 * node + 1))
      node -= 1
    }
    winners = larger
    leaves = capacity
  }

  override def clear(): Unit =
    // What was large is made anew, small: the partitions to come may all be small.
    if (leaves > InitialLeaves) {
      memory.release(bytesOf(leaves) - bytesOf(InitialLeaves))
      leaves = InitialLeaves
      winners = newWinners(leaves)
    } else util.Arrays.fill(winners, NoCode)

  override def close(): Unit = memory.release(bytesOf(leaves))
}

object MostFrequent {
  private val InitialLeaves = 64
  private val NoCode = -1

  private def newWinners(leaves: Int): Array[Int] = {
    val winners = new Array[Int](2 * leaves)
    util.Arrays.fill(winners, NoCode)
    winners
  }

  private def bytesOf(leaves: Int): Long = 8L * leaves
}

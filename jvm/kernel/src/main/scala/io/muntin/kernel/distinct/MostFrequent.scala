package io.muntin.kernel.distinct

import io.muntin.kernel.columns.Longs
import io.muntin.kernel.memory.Memory

/**
 * The value that most rows of the frame hold, of a tally of one column; among equally frequent ones
 * the least (`sign` 1) or the greatest (`sign` -1), so that it is a function of the rows alone.
 *
 * A tournament over the codes: each inner node holds the winners of the two below it. A row changes
 * one count, so only the matches on the way up from that code are played again, until one of them
 * has the winner that it had and nothing about it has changed. An upper bound of the counts of all
 * codes but the best is known, too. While the best has more rows than this bound, its own rows
 * change no match: where 250 rows hold the best value and 100 the second, 149 of the 250 may leave
 * before a match is played. Where memory is short, the lower parts of the tree that nobody has
 * looked at for a while go to disk, as the counts and the values do.
 *
 * Cost per row: at most one match per level, log2 of the distinct values, and twice as many where
 * the best is about to change; none for most rows of a best value that is far ahead. 8 bytes per
 * distinct value. Guarded by MostFrequentSuite.
 */
final class MostFrequent(memory: Memory, tally: Tally, sign: Int) extends Tally.Listener {
  import MostFrequent._

  private val values = tally.values(0)
  // Leaf `leaves + code` is that code. By inner node n, from 1: what won at 2n and, below it, at 2n
  // + 1.
  private val winners = new Longs(memory)
  private var leaves = InitialLeaves
  private var best = NoCode
  // No code but the best has more rows.
  private var othersAtMost = 0L

  winners.makeRoom(leaves - 1)
  empty(1, leaves)
  tally.addListener(this)

  /** The code of the value in the tally; -1 where the frame has none. */
  def code: Int = best

  override def entered(code: Int, position: Long): Unit = {
    while (code >= leaves) grow()
    if (code != best) {
      othersAtMost = math.max(othersAtMost, tally.count(code))
      play(code)
    }
  }

  override def left(code: Int, position: Long): Unit =
    if (code != best) play(code)
    else if (tally.count(code) <= othersAtMost) {
      play(code)
      othersAtMost = if (best < 0) 0L else mostOfOthers
    }

  /** The rows of the most frequent of those that the best has won against. */
  private def mostOfOthers: Long = {
    var most = 0L
    var node = leaves + best
    while (node > 1) {
      val pair = winners(node >> 1)
      val other = if ((node & 1) == 0) odd(pair) else even(pair)
      if (other >= 0) most = math.max(most, tally.count(other))
      node >>= 1
    }
    most
  }

  private def play(code: Int): Unit = {
    var node = leaves + code
    var count = tally.count(code)
    var winner = if (count > 0L) code else NoCode
    var isUnchanged = false
    while (node > 1 && !isUnchanged) {
      val pair = winners(node >> 1)
      val isEven = (node & 1) == 0
      val before = if (isEven) even(pair) else odd(pair)
      if (winner == before && winner != code && node < leaves) isUnchanged = true
      else {
        val other = if (isEven) odd(pair) else even(pair)
        if (winner != before)
          winners(node >> 1) = if (isEven) paired(winner, other) else paired(other, winner)
        if (other >= 0) {
          val otherCount = tally.count(other)
          if (
            winner < 0 || otherCount > count || (otherCount == count && isBefore(other, winner))
          ) {
            winner = other
            count = otherCount
          }
        }
        node >>= 1
      }
    }
    if (!isUnchanged) best = winner
  }

  /** Of two codes that are equally frequent. */
  private def isBefore(a: Int, b: Int): Boolean =
    sign * values.compare(a.toLong, b.toLong) < 0

  /** All that there is becomes the left half of a tree of twice the size, level by level. */
  private def grow(): Unit = {
    winners.makeRoom(2 * leaves - 1)
    var size = leaves / 2
    while (size > 0) {
      var i = 0
      while (i < size) {
        winners(2 * size + i) = winners(size + i)
        i += 1
      }
      empty(3 * size, 4 * size)
      size /= 2
    }
    winners(1) = paired(best, NoCode)
    leaves *= 2
  }

  private def empty(from: Int, until: Int): Unit = {
    var node = from
    while (node < until) {
      winners(node) = None
      node += 1
    }
  }

  override def clear(): Unit = {
    // What was large is made anew, small: the partitions to come may all be small.
    winners.shrink()
    leaves = InitialLeaves
    best = NoCode
    othersAtMost = 0L
    empty(1, leaves)
  }

  override def close(): Unit = winners.close()
}

object MostFrequent {
  private val InitialLeaves = 64
  private val NoCode = -1
  private val None = paired(NoCode, NoCode)

  private def paired(even: Int, odd: Int): Long = even.toLong << 32 | (odd & 0xffffffffL)

  private def even(pair: Long): Int = (pair >> 32).toInt

  private def odd(pair: Long): Int = pair.toInt
}

package io.muntin.kernel.distinct

import io.muntin.kernel.columns.Longs
import io.muntin.kernel.memory.Memory

/**
 * The value that most rows of the frame hold, of a tally of one column; among equally frequent ones
 * the least (`sign` 1) or the greatest (`sign` -1), so that it is a function of the rows alone.
 *
 * A tournament over the codes: each inner node holds the winners of the two below it. A row changes
 * one count, so only the matches on the way up from that code are played again, until one of them
 * has the winner that it had and nothing about it has changed. A code that has one more row wins
 * all matches that it has won: the first one to be played is the one that it has lost. An upper
 * bound of the counts of all codes but the best is known, too. While the best has more rows than
 * this bound, its own rows change no match: where 250 rows hold the best value and 100 the second,
 * 149 of the 250 may leave before a match is played. Where memory is short, the lower parts of the
 * tree that were not read recently are evicted to disk, as the counts and the values do.
 *
 * Cost per row: as a row enters, one match most often; as a row leaves, one for each level that its
 * value wins, log2 of the distinct values at most, and twice as many where the best is about to
 * change; none for most rows of a best value that is far ahead. 8 bytes per distinct value. Guarded
 * by MostFrequentSuite.
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
      val count = tally.countInUse(code)
      othersAtMost = math.max(othersAtMost, count)
      if (count == 1L) play(code) else rise(code, count)
    }
  }

  override def left(code: Int, position: Long): Unit =
    if (code != best) play(code)
    else if (tally.countInUse(code) <= othersAtMost) {
      play(code)
      othersAtMost = if (best < 0) 0L else mostOfOthers
    }

  /** The rows of the most frequent of those that the best has won against. */
  private def mostOfOthers: Long = {
    var most = 0L
    var node = leaves + best
    while (node > 1) {
      val other = winnerAt(node ^ 1)
      if (other >= 0) most = math.max(most, tally.countInUse(other))
      node >>= 1
    }
    most
  }

  /**
   * A code has one more row, `count` now. The matches that it has won it still wins: so the first
   * one to be played is the one that it has lost.
   */
  private def rise(code: Int, count: Long): Unit = {
    var node = (leaves + code) >> 1
    while (node > 1 && winnerAt(node) == code) node >>= 1
    val winner = if (node > 1) winnerAt(node) else best
    if (isAhead(code, count, winner, tally.countInUse(winner))) playAbove(node, code, count, code)
  }

  /** Of a node that is not the root; at a leaf, its code, or none. */
  private def winnerAt(node: Int): Int = {
    val pair = winners(node >> 1)
    if ((node & 1) == 0) even(pair) else odd(pair)
  }

  private def play(code: Int): Unit = {
    val count = tally.countInUse(code)
    playAbove(leaves + code, if (count > 0L) code else NoCode, count, code)
  }

  /**
   * `first`, with `rows` rows, has won at a node: plays the matches above it until a result does
   * not change. `changed`: the code whose count has changed.
   */
  private def playAbove(start: Int, first: Int, countOfFirst: Long, changed: Int): Unit = {
    var node = start
    var winner = first
    var count = countOfFirst
    var isUnchanged = false
    while (node > 1 && !isUnchanged) {
      val pair = winners(node >> 1)
      val isEven = (node & 1) == 0
      val before = if (isEven) even(pair) else odd(pair)
      if (winner == before && winner != changed) isUnchanged = true
      else {
        val other = if (isEven) odd(pair) else even(pair)
        if (winner != before)
          winners(node >> 1) = if (isEven) paired(winner, other) else paired(other, winner)
        if (other >= 0) {
          val otherCount = tally.countInUse(other)
          if (winner < 0 || isAhead(other, otherCount, winner, count)) {
            winner = other
            count = otherCount
          }
        }
        node >>= 1
      }
    }
    if (!isUnchanged) best = winner
  }

  private def isAhead(a: Int, countOfA: Long, b: Int, countOfB: Long): Boolean =
    countOfA > countOfB ||
      (countOfA == countOfB && sign * values.compare(a.toLong, b.toLong) < 0)

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
    // Large structures are replaced by small ones: later partitions may all be small.
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

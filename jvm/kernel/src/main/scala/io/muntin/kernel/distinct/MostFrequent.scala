package io.muntin.kernel.distinct

import io.muntin.kernel.columns.Longs
import io.muntin.kernel.memory.Memory

/**
 * Tracks the most frequent value of the frame, from a tally of one column. Among equally frequent
 * values it is the least (`sign` 1) or the greatest (`sign` -1), so the result depends only on the
 * rows.
 *
 * A tournament tree over the codes: each inner node holds the winners of its two children. A row
 * changes one count, so only the matches on the path up from that code are replayed, until a winner
 * does not change and is not the changed code. A code whose count rises still wins the matches that
 * it has won, so the replay starts at the match that it has lost. The tree also has an upper bound
 * of the counts of all codes except the best. While the best has more rows than this bound, its own
 * rows change no match: if 250 rows hold the best value and 100 the second, 149 of the 250 may
 * leave before a match is replayed. If memory is short, the lower parts of the tree that were not
 * read recently are spilled, like the counts and the values.
 *
 * Cost per row that enters: usually one match. Cost per row that leaves: one match for each level
 * that its value wins, at most log2 of the distinct values, and twice as many if the best is about
 * to change; no match for most rows of a best value with a large lead. 8 bytes per distinct value.
 * Guarded by MostFrequentSuite.
 */
final class MostFrequent(memory: Memory, tally: Tally, sign: Int) extends Tally.Listener {
  import MostFrequent._

  private val values = tally.values(0)
  // Leaf `leaves + code` is the code. Entry n, from 1, has the winners at nodes 2n and 2n + 1, in
  // its high and low half.
  private val winners = new Longs(memory)
  private var leaves = InitialLeaves
  private var best = NoCode
  // No other code has more rows.
  private var othersAtMost = 0L

  winners.makeRoom(leaves - 1)
  empty(1, leaves)
  tally.addListener(this)

  /** Returns the code of the value in the tally; -1 if the frame has no value. */
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

  /** Returns the most rows of a code that lost a match against the best. */
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
   * Updates the tree after the count of a code rose to `count`. The code still wins the matches
   * that it has won, so the replay starts at the match that it has lost.
   */
  private def rise(code: Int, count: Long): Unit = {
    var node = (leaves + code) >> 1
    while (node > 1 && winnerAt(node) == code) node >>= 1
    val winner = if (node > 1) winnerAt(node) else best
    if (isAhead(code, count, winner, tally.countInUse(winner))) playAbove(node, code, count, code)
  }

  /** Returns the winner at a node other than the root; at a leaf, its code or None. */
  private def winnerAt(node: Int): Int = {
    val pair = winners(node >> 1)
    if ((node & 1) == 0) even(pair) else odd(pair)
  }

  private def play(code: Int): Unit = {
    val count = tally.countInUse(code)
    playAbove(leaves + code, if (count > 0L) code else NoCode, count, code)
  }

  /**
   * Replays the matches above a node, where `first`, with `countOfFirst` rows, has won, until a
   * result does not change. `changed`: the code whose count has changed.
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

  /** Doubles the tree: level by level, the old tree becomes the left half of the new tree. */
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
    // Releases large structures: later partitions may all be small.
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

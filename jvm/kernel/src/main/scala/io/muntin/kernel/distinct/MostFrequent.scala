package io.muntin.kernel.distinct

import io.muntin.kernel.columns.Longs
import io.muntin.kernel.memory.Memory

/**
 * The value that most rows of the frame hold, of a tally of one column; among equally frequent ones
 * the least (`sign` 1) or the greatest (`sign` -1), so that it is a function of the rows alone.
 *
 * A tournament over the codes: each inner node holds the winners of the two below it. A row changes
 * one count, so only the matches on the way up from that code are played again, until one of them
 * has the winner that it had and nothing about it has changed. Where memory is short, the lower
 * parts of the tree that nobody has looked at for a while go to disk, as the counts and the values
 * do.
 *
 * Cost per row: at most one match per level, log2 of the distinct values; 8 bytes per distinct
 * value. Guarded by MostFrequentSuite.
 */
final class MostFrequent(memory: Memory, tally: Tally, sign: Int) extends Tally.Listener {
  import MostFrequent._

  private val values = tally.values(0)
  // Leaf `leaves + code` is that code. By inner node n, from 1: what won at 2n and, below it, at 2n
  // + 1.
  private val winners = new Longs(memory)
  private var leaves = InitialLeaves
  private var best = NoCode

  winners.makeRoom(leaves - 1)
  empty(1, leaves)
  tally.addListener(this)

  /** The code of the value in the tally; -1 where the frame has none. */
  def code: Int = best

  override def entered(code: Int, position: Long): Unit = {
    while (code >= leaves) grow()
    play(code)
  }

  override def left(code: Int, position: Long): Unit = play(code)

  private def play(code: Int): Unit = {
    var node = leaves + code
    var winner = if (tally.count(code) > 0L) code else NoCode
    var isUnchanged = false
    while (node > 1 && !isUnchanged) {
      val pair = winners(node >> 1)
      val before = if ((node & 1) == 0) even(pair) else odd(pair)
      if (winner == before && winner != code && node < leaves) isUnchanged = true
      else {
        val played = if ((node & 1) == 0) paired(winner, odd(pair)) else paired(even(pair), winner)
        if (played != pair) winners(node >> 1) = played
        winner = better(even(played), odd(played))
        node >>= 1
      }
    }
    if (!isUnchanged) best = winner
  }

  private def better(a: Int, b: Int): Int =
    if (b < 0) a
    else if (a < 0) b
    else {
      val c = java.lang.Long.compare(tally.count(a), tally.count(b))
      if (c > 0 || (c == 0 && sign * values.compare(a.toLong, b.toLong) < 0)) a else b
    }

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

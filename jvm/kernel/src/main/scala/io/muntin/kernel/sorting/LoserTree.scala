package io.muntin.kernel.sorting

/**
 * Finds the sorted run with the least row, repeatedly, to merge runs.
 *
 * The idea: the first rows of the runs play a knockout tournament. Each match stores the run that
 * lost it. When the winner moves to its next row, only the matches that it won are replayed: on its
 * way to the top, each against the stored loser.
 *
 *     runs        0: 3 9    1: 1 4    2: 7    3: 2
 *     tournament  0 and 1: 0 lost; 2 and 3: 2 lost; 1 and 3: 3 lost; 1 wins with 1
 *     1 moves on  4 against 3 of run 0: 1 lost; 3 against 2 of run 3: 0 lost; 3 wins with 2
 *
 * Cost per row: log2 of the number of runs, rounded up, in comparisons. Source: Knuth, The Art of
 * Computer Programming 3, 5.4.1. Guarded by LoserTreeSuite.
 *
 * @param runs
 *   the number of runs, at least one
 */
abstract class LoserTree(runs: Int) {
  // The parent of node i is node i / 2; run r is the leaf at `runs + r`. Node 0 has the winner.
  private val losers = new Array[Int](runs)

  /**
   * Returns true if the row of one run is before the row of another; a run without further rows is
   * last.
   */
  protected def isBefore(one: Int, other: Int): Boolean

  /** Returns the run with the least row. Call `begin` before. */
  def winner: Int = losers(0)

  /** Starts with a new row in each run. */
  def begin(): Unit = losers(0) = if (runs == 1) 0 else play(1)

  /** Plays the matches below a node, and returns the winner. */
  private def play(node: Int): Int =
    if (node >= runs) node - runs
    else {
      val left = play(2 * node)
      val right = play(2 * node + 1)
      val isLeft = !isBefore(right, left)
      losers(node) = if (isLeft) right else left
      if (isLeft) left else right
    }

  /** Call it when the winner has moved to its next row, or to its end. */
  def replay(): Unit = {
    var best = losers(0)
    var node = (runs + best) >>> 1
    while (node > 0) {
      val other = losers(node)
      if (isBefore(other, best)) {
        losers(node) = best
        best = other
      }
      node = node >>> 1
    }
    losers(0) = best
  }
}

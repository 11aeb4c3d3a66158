package io.muntin.kernel.motions

import io.muntin.kernel.columns.Column

/**
 * Windows over the rows of a group, in an order in which their ends move back and forth: windows
 * may contain one another. Each window is assigned to a chain, whose windows only move forward at
 * both ends, so any accumulator works under a chain. There are at most `limit` chains; if more are
 * needed, a chain starts again.
 */
abstract class WindowChains(make: Int => Chained, limit: Int) {
  protected final val chains = new Array[Chained](limit)
  protected final var made = 0

  final def startGroup(): Unit = {
    var i = 0
    while (i < made) {
      chains(i).startPartition()
      i += 1
    }
  }

  /** The number of chains. */
  final def size: Int = made

  /** Declares that no later window has a row before `first`. */
  final def evictBefore(first: Long): Unit = {
    var i = 0
    while (i < made) {
      chains(i).evictBefore(first)
      i += 1
    }
  }

  /** Moves a chain to this non-empty window, and returns the index of the chain. */
  final def moveTo(from: Long, until: Long): Int = {
    val found = chosen(from, until)
    if (found == made) {
      chains(made) = make(made)
      made += 1
    }
    chains(found).moveTo(from, until)
    found
  }

  /** Returns the chain for a window; `size` for a new chain, if it is allowed. */
  protected def chosen(from: Long, until: Long): Int
}

/**
 * Chains of windows that are ordered by their start, while their end moves back and forth.
 *
 *     windows      [1 . . . .]  [3 . . . . .]
 *                    [2 .]  [4]
 *     chains       1 → 3,  2 → 4
 *
 * A window is assigned to the chain with the greatest end that is not after the window's end. So
 * the number of chains is minimal, and there is one chain if no window ends before an earlier
 * window. The ends of the chains stay sorted, so the chain is found by binary search. Beyond
 * `limit`, the chain with the least end starts again.
 *
 * Cost: each row enters and leaves a chain at most once, and only chains with a window that
 * contains the row. Source: patience sorting, as in Fredman, "On Computing the Length of Longest
 * Increasing Subsequences" (Discrete Mathematics 1975). Guarded by ChainsSuite.
 */
final class Chains(make: Int => Chained, limit: Int = Chains.Limit)
    extends WindowChains(make, limit) {

  override protected def chosen(from: Long, until: Long): Int = math.min(furthest(until), limit - 1)

  /**
   * Returns the first chain that does not end after `until`. Ends descend, so it has the greatest
   * such end.
   */
  private def furthest(until: Long): Int = {
    var low = 0
    var high = made
    while (low < high) {
      val middle = (low + high) >>> 1
      if (chains(middle).end <= until) high = middle else low = middle + 1
    }
    low
  }
}

object Chains {
  val Limit: Int = 64
}

/** Windows whose ends only move forward, until the chain starts again. */
trait Chained {
  def start: Long

  def end: Long

  def startPartition(): Unit

  /** Moves to this window, or starts again with it. */
  def moveTo(from: Long, until: Long): Unit

  /** Declares that no later window has a row before `first`. */
  def evictBefore(first: Long): Unit
}

/** A chain of windows without holes. */
final class Chain(rows: Column.Reader) extends AssignedWindows(rows) with Chained {
  override def moveTo(from: Long, until: Long): Unit = {
    if (from < lo || from >= hi || until < hi) {
      if (hi > lo) clear()
      enter(from, until)
    } else {
      if (from > lo) leave(lo, from)
      enter(hi, until)
    }
    lo = from
    hi = until
  }

  override def evictBefore(first: Long): Unit = if (lo < first) {
    if (hi <= first) {
      if (hi > lo) clear()
      // Keeps the end: chains are ordered by it.
      lo = hi
    } else {
      leave(lo, first)
      lo = first
    }
  }
}

package io.muntin.kernel.motions

import io.muntin.kernel.columns.Column

/**
 * Windows over the rows of a group, in some order, while their ends go back and forth: windows may
 * lie in one another. Each is given to a chain, whose own windows only move forward at both ends,
 * so that every accumulator works under it as it is. There are at most `limit` chains; then one
 * starts again.
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

  /** How many chains there are. */
  final def size: Int = made

  /** No later window has a row before `first`: none is kept. */
  final def evictBefore(first: Long): Unit = {
    var i = 0
    while (i < made) {
      chains(i).evictBefore(first)
      i += 1
    }
  }

  /** The index of the chain that is now at the window, which is not empty. */
  final def moveTo(from: Long, until: Long): Int = {
    val found = chosen(from, until)
    if (found == made) {
      chains(made) = make(made)
      made += 1
    }
    chains(found).moveTo(from, until)
    found
  }

  /** The chain for a window; `size` for a new one, as long as there may be one. */
  protected def chosen(from: Long, until: Long): Int
}

/**
 * Chains of windows in the order of their first ends, while their last ends go back and forth.
 *
 *     windows      [1 . . . .]  [3 . . . . .]
 *                    [2 .]  [4]
 *     chains       1 → 3,  2 → 4
 *
 * A window goes to the chain that has come furthest among those that have not come further than it.
 * So there are as few chains as can be, one where no window ends before an earlier one; the ends of
 * the chains stay in order, and the right one is found by halving. Beyond `limit` the chain that is
 * least far along starts again.
 *
 * Cost: each row enters and leaves a chain at most once, and only chains with a window that
 * contains the row. Source: patience sorting, as in Fredman, "On Computing the Length of Longest
 * Increasing Subsequences" (Discrete Mathematics 1975). Guarded by ChainsSuite.
 */
final class Chains(make: Int => Chained, limit: Int = Chains.Limit)
    extends WindowChains(make, limit) {

  override protected def chosen(from: Long, until: Long): Int = math.min(furthest(until), limit - 1)

  /**
   * The first chain, and so the one that has come furthest, that is not beyond `until`: ends
   * descend.
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

/** Windows both of whose ends only move forward, unless they start again. */
trait Chained {
  def start: Long

  def end: Long

  def startPartition(): Unit

  /** Moves on to this window, or starts again with it. */
  def moveTo(from: Long, until: Long): Unit

  /** No later window has a row before `first`. */
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
      // The end stays: chains are in order of it.
      lo = hi
    } else {
      leave(lo, first)
      lo = first
    }
  }
}

package io.muntin.kernel.motions

import scala.collection.mutable

import io.muntin.kernel.columns.Column

/**
 * The motion of a frame whose ends move back and forth: their offsets are expressions of the row.
 *
 *     ROWS BETWEEN n PRECEDING AND CURRENT ROW
 *     n               1     0     2     3     1
 *     windows        [0]   [1]  [0 1 2] …
 *     chains          1     1     2           window 2 begins before window 1
 *
 * If all accumulators are `NonMonotonic`, they compute each window from its ends. Otherwise each
 * window is assigned to one of several chains (`Chains`, `UnorderedChains`), whose windows only
 * move forward at both ends. So any accumulator works under a chain, and there is an accumulator
 * for each chain. The functions have outputs for each chain, and for an empty window; `view`
 * selects the outputs of the current row.
 *
 * The frame of any later row may begin at the first row, so all rows of the partition are kept.
 *
 * Cost per row: two edge searches; with chains, an access to each, and the rows that enter and
 * leave the selected chain. There are as many chains as windows that each begin before the previous
 * window and end after it: one if both ends only move forward, and about 2 √w if windows have
 * random sizes up to w. Beyond `Limit` chains, a chain starts again with all rows of its window.
 * Guarded by NonMonotonicMotionSuite, against frames computed from the definition.
 *
 * @param isStartNonMonotonic
 *   true if the lower end moves back; else only the upper end does
 * @param isFree
 *   true if all accumulators are `NonMonotonic`, and windows have no holes
 * @param holes
 *   creates the edges of the holes in each window, in pairs, as in PiecedMotion
 */
final class NonMonotonicMotion(
    lower: Edge,
    upper: Edge,
    isStartNonMonotonic: Boolean,
    isFree: Boolean,
    holes: Option[() => Array[Edge]]
) extends RowMotion {
  private var join: Motion => Unit = (_: Motion) => ()
  private val motions = mutable.ArrayBuffer.empty[Motion]
  private val empty = made()
  private val free = if (isFree) new NonMonotonicWindows(this) else null
  private val chains: WindowChains =
    if (isStartNonMonotonic) new UnorderedChains(_ => joined(), NonMonotonicMotion.Limit)
    else new Chains(_ => joined(), NonMonotonicMotion.Limit)
  private var lowerAt = 0L
  private var upperAt = 0L
  private var lo = 0L
  private var hi = 0L
  private var current = 0L
  private var arrivals = 0L
  private var viewed = 0

  /**
   * Sets `join`, which is applied to the motion of each chain, and at once to the motions that
   * exist.
   */
  def open(join: Motion => Unit): Unit = {
    this.join = join
    join(empty.motion)
    if (isFree) {
      motions += free
      join(free)
    }
  }

  /** The index of the current row's motion, in the order in which motions were joined. */
  def view: Int = viewed

  private def made(): NonMonotonicChain = {
    val chain =
      holes.fold[NonMonotonicChain](new PlainChain(this))(new PiecedChain(_, () => current))
    motions += chain.motion
    chain
  }

  private def joined(): Chained = {
    val chain = made()
    join(chain.motion)
    chain.startPartition()
    chain
  }

  override def evicts: Boolean = true

  override val isImmediate: Boolean = upper.isImmediate

  override def start: Long = lo

  override def end: Long = hi

  override def floor: Long = 0L

  override def startPartition(first: Long): Unit = {
    lowerAt = first
    upperAt = first
    lo = first
    hi = first
    arrivals = first
    viewed = 0
    lower.startPartition(first)
    upper.startPartition(first)
    empty.startPartition()
    if (isFree) free.startPartition() else chains.startGroup()
  }

  override def arrive(arrived: Long): Unit = arrivals = arrived

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = {
    upperAt = upper.seek(upperAt, row, arrived)
    ended || !upper.isOpen(upperAt, row, arrived)
  }

  override def advance(row: Long): Boolean = {
    lowerAt = lower.seek(lowerAt, row, arrivals)
    val newHi = upperAt
    val newLo = math.min(lowerAt, newHi)
    val before = viewed
    val stays = newLo == lo && newHi == hi && holes.isEmpty
    current = row
    lo = newLo
    hi = newHi
    if (lo == hi) viewed = 0
    else if (!stays) viewed = 1 + moved()
    !stays || viewed != before || row == 0L
  }

  private def moved(): Int =
    if (isFree) {
      free.moveTo(lo, hi)
      0
    } else chains.moveTo(lo, hi)

  override def close(): Unit = motions.foreach(_.close())
}

/** Windows in any order, for `NonMonotonic` accumulators. */
final class NonMonotonicWindows(rows: Column.Reader) extends AssignedWindows(rows) {
  override def isNonMonotonic: Boolean = true

  /** Moves to this non-empty window. */
  def moveTo(from: Long, until: Long): Unit = {
    lo = from
    hi = until
    evaluate(from, until)
  }

  /** Declares that no later window has a row before `first`. */
  def evictBefore(first: Long): Unit = evictFrom(first)
}

object NonMonotonicMotion {
  val Limit: Int = 256
}

/** A chain, and the motion that drives its accumulators. */
private sealed abstract class NonMonotonicChain extends Chained {
  def motion: Motion
}

/** A chain of windows without holes. */
private final class PlainChain(rows: NonMonotonicMotion) extends NonMonotonicChain {
  private val chain = new Chain(rows)

  override def motion: Motion = chain
  override def start: Long = chain.start
  override def end: Long = chain.end
  override def startPartition(): Unit = chain.startPartition()
  override def moveTo(from: Long, until: Long): Unit = chain.moveTo(from, until)
  override def evictBefore(first: Long): Unit = chain.evictBefore(first)
}

/** A chain of windows with holes, whose edges depend on the current row. */
private final class PiecedChain(holes: () => Array[Edge], row: () => Long)
    extends NonMonotonicChain {
  private val lower = new AssignedEdge
  private val upper = new AssignedEdge

  override val motion: PiecedMotion = new PiecedMotion(lower, upper, holes(), CompleteFrames.Always)

  override def start: Long = motion.start

  override def end: Long = motion.end

  override def startPartition(): Unit = motion.startPartition(0L)

  override def moveTo(from: Long, until: Long): Unit = {
    if (from < start || from >= end || until < end) motion.startPartition(from)
    lower.at = from
    upper.at = until
    motion.isReady(row(), until, ended = true): Unit
    motion.advance(row()): Unit
  }

  // All rows are kept.
  override def evictBefore(first: Long): Unit = ()
}

/** An edge at an assigned position. */
private final class AssignedEdge extends Edge {
  var at: Long = 0L

  override def seek(from: Long, current: Long, arrived: Long): Long = at

  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean = false
}

package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.SavableState

/**
 * A group's windows that are contiguous ranges of its rows, whose ends only move forward from
 * window to window.
 *
 * If a window shares no row with the previous window, blocks of rows begin at the window's start.
 * So the blocks depend only on the windows, not on their place in the group.
 *
 * Cost: each row enters once and leaves once, for any number of windows.
 */
abstract class StretchMotion extends GroupMotion {
  private var lo = 0L
  private var hi = 0L
  // The end of the previous window. Some of its rows may not have entered again.
  private var before = 0L
  private var origin = 0L

  override def evicts: Boolean = true

  final override def start: Long = lo

  final override def end: Long = hi

  /** The oldest row in the current window or a later window, or that the motion reads. */
  override def floor: Long = lo

  final override def startPartition(): Unit = startPartition(0L)

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    before = first
    clear()
    begin(first)
  }

  private def begin(at: Long): Unit = {
    origin = at
    align(at)
  }

  override lazy val saves: Boolean = !evicts && driven.forall(_.isInstanceOf[SavableState])

  override def save(out: DataOutput): Unit = {
    out.writeLong(lo)
    out.writeLong(before)
    out.writeLong(origin)
  }

  override def resume(in: DataInput, isSaved: Boolean): Unit = {
    val first = in.readLong()
    before = in.readLong()
    begin(in.readLong())
    if (isSaved) {
      lo = first
      hi = before
    }
  }

  /** Moves the window to the rows from `from` until `until`. */
  protected final def moveTo(from: Long, until: Long): Unit = {
    if (from >= hi) {
      if (hi > lo) clear()
      if (from >= before) begin(from)
      enter(from, until)
    } else {
      if (from > lo) leave(lo, from)
      enter(hi, until)
    }
    lo = from
    hi = until
    before = until
  }
}

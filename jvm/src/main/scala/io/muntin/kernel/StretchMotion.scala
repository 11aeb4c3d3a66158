package io.muntin.kernel

import java.io.{DataInput, DataOutput}

/**
 * A group's windows that are stretches of its rows, both of whose ends only move forward from window
 * to window.
 *
 * Cost: each row enters once and leaves once, however many windows it is in.
 */
abstract class StretchMotion extends GroupMotion {
  private var lo = 0L
  private var hi = 0L

  override def evicts: Boolean = true

  final override def start: Long = lo

  final override def end: Long = hi

  /** The oldest row that this or a later window has, or that the motion still reads. */
  override def floor: Long = lo

  final override def startPartition(): Unit = startPartition(0L)

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    clear()
  }

  override lazy val saves: Boolean = !evicts && driven.forall(_.isInstanceOf[Saved])

  override def save(out: DataOutput): Unit = if (saves) {
    out.writeLong(lo)
    out.writeLong(hi)
  }

  override def resume(in: DataInput): Unit = if (saves) {
    lo = in.readLong()
    hi = in.readLong()
  }

  /** The window becomes the rows from `from` until `until`. */
  protected final def moveTo(from: Long, until: Long): Unit = {
    if (from >= hi) {
      if (hi > lo) clear()
      enter(from, until)
    } else {
      if (from > lo) leave(lo, from)
      enter(hi, until)
    }
    lo = from
    hi = until
  }
}

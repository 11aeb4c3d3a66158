package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.Column

/**
 * The window of everything since the `count`-th most recent row that closes one, in the order
 * update, emit, reset: a row that closes still belongs to the window that it closes. With a count
 * of one a window only grows and begins anew, so no row is needed twice; else rows leave at each
 * closing row.
 *
 * `closing` is not null at the rows that close.
 *
 * Cost per row: one row in, one out, one look at whether it closes and one when it leaves. Source:
 * Fenl's since(bool). Guarded by SinceMotionSuite.
 */
final class SinceMotion(closing: Column, count: Int) extends RowMotion {
  private var lo = 0L
  private var hi = 0L
  // How many of the rows in the window close one.
  private var closed = 0

  override val evicts: Boolean = count > 1

  override def isImmediate: Boolean = true

  override def start: Long = lo

  override def end: Long = hi

  override def floor: Long = if (evicts) lo else hi

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    closed = 0
    clear()
  }

  override def save(out: DataOutput): Unit = {
    out.writeLong(lo)
    out.writeLong(hi)
    out.writeInt(closed)
  }

  override def resume(in: DataInput): Unit = {
    lo = in.readLong()
    hi = in.readLong()
    closed = in.readInt()
  }

  override def kept(arrived: Long): Long = if (closed == count && !evicts) arrived else lo

  override def arrive(arrived: Long): Unit = ()

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = true

  override def advance(row: Long): Boolean = {
    if (closed == count) {
      if (evicts) dropOldest() else clear()
      if (!evicts) lo = row
      closed -= 1
    }
    enter(row, row + 1)
    hi = row + 1
    if (!closing.isNull(row)) closed += 1
    true
  }

  // What lies before the oldest closing row in the window, and that row.
  private def dropOldest(): Unit = {
    var p = lo
    while (closing.isNull(p)) p += 1
    leave(lo, p + 1)
    lo = p + 1
  }
}

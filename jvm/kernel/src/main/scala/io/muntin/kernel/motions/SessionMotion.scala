package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

/**
 * The window of all rows since the last gap between consecutive rows: the rows of the row's session
 * so far.
 *
 *     gap 10     times      3    8      18       29    30
 *                windows    3    3 8    3 8 18   29    29 30
 *                number     1    1      1        2     2
 *
 * A window only grows or starts again, so no row is read twice.
 *
 * Cost per row: one row in, and one comparison with the row before. Guarded by SessionMotionSuite.
 *
 * @param isNumbered
 *   true if sessions are numbered: then the number of earlier sessions matters, and state cannot be
 *   dropped
 */
final class SessionMotion(times: SessionTimes, isNumbered: Boolean) extends RowMotion {
  private var lo = 0L
  private var hi = 0L
  private var sessions = 0L
  private var isBegun = false

  override def evicts: Boolean = false

  override def isImmediate: Boolean = true

  override def start: Long = lo

  override def end: Long = hi

  override def floor: Long = hi

  /** The number of the current row's session in its partition, from 1. */
  def number: Long = sessions

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    sessions = 0L
    isBegun = false
    times.clear()
    clear()
  }

  override def save(out: DataOutput): Unit = {
    out.writeLong(lo)
    out.writeLong(hi)
    out.writeLong(sessions)
    out.writeBoolean(isBegun)
    times.save(out)
  }

  override def resume(in: DataInput): Unit = {
    lo = in.readLong()
    hi = in.readLong()
    sessions = in.readLong()
    isBegun = in.readBoolean()
    times.resume(in)
  }

  override def isOver(boundAt: Long): Boolean =
    !isBegun || (!isNumbered && boundAt >= 0L && times.isApart(boundAt))

  override def oldestNeeded(arrived: Long): Long = if (isOver(arrived)) arrived else lo

  override def arrive(arrived: Long): Unit = ()

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = true

  override def advance(row: Long): Boolean = {
    if (!isBegun || times.isApart(row)) {
      clear()
      lo = row
      sessions += 1L
      isBegun = true
      times.begin(row)
    } else times.extend(row)
    enter(row, row + 1)
    hi = row + 1
    true
  }
}

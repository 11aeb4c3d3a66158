package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.Column

/**
 * The window of all rows since the `count`-th most recent row that divides parts, in the order
 * update, emit, reset: a dividing row belongs to the part that it closes. With `opens` the order is
 * reset, update, emit: it belongs to the part that it opens. If the count is one, a window only
 * grows or starts again, so no row is read twice; else rows leave at each dividing row.
 *
 *     count 1, dividing rows *       a  b* c  d* e
 *     windows                        a  ab c  cd e
 *     windows, with `opens`          a  b  bc d  de
 *
 * `dividing` is not null at dividing rows.
 *
 * Cost per row: one row in, one out, one check whether it divides, and one when it leaves. Source:
 * Fenl's since(bool). Guarded by SinceMotionSuite.
 */
final class SinceMotion(dividing: Column, count: Int, opens: Boolean) extends RowMotion {
  private var lo = 0L
  private var hi = 0L
  // The number of dividing rows in the window.
  private var divided = 0

  override val evicts: Boolean = count > 1

  override def isImmediate: Boolean = true

  override def start: Long = lo

  override def end: Long = hi

  override def floor: Long = if (evicts) lo else hi

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    divided = 0
    clear()
  }

  override def save(out: DataOutput): Unit = {
    out.writeLong(lo)
    out.writeLong(hi)
    out.writeInt(divided)
  }

  override def resume(in: DataInput): Unit = {
    lo = in.readLong()
    hi = in.readLong()
    divided = in.readInt()
  }

  override def oldestNeeded(arrived: Long): Long =
    if (divided == count && !evicts && !opens) arrived else lo

  override def arrive(arrived: Long): Unit = ()

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = true

  override def advance(row: Long): Boolean = {
    val divides = !dividing.isNull(row)
    if (opens) {
      if (divides) open(row)
    } else if (divided == count) close(row)
    enter(row, row + 1)
    hi = row + 1
    if (divides) divided += 1
    true
  }

  private def close(row: Long): Unit = {
    if (evicts) dropUntil(nextDividing(lo) + 1L) else clear(row)
    divided -= 1
  }

  /** Starts a part at `row`: the window starts at the `count`-th most recent part. */
  private def open(row: Long): Unit =
    if (!evicts) {
      clear(row)
      divided = 0
    } else if (divided == count) {
      // The window begins with a dividing row.
      dropUntil(nextDividing(lo + 1L))
      divided -= 1
    } else if (divided == count - 1) dropUntil(nextDividing(lo))

  private def clear(row: Long): Unit = {
    clear()
    lo = row
  }

  private def dropUntil(row: Long): Unit =
    if (row > lo) {
      leave(lo, row)
      lo = row
    }

  private def nextDividing(from: Long): Long = {
    var p = from
    while (dividing.isNull(p)) p += 1
    p
  }
}

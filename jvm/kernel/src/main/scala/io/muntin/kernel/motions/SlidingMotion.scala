package io.muntin.kernel.motions

import io.muntin.kernel.columns.LongColumn

/**
 * The window of the `size` most recent rows that count, at each row. Rows that do not count have no
 * position: the window contains up to `size` rows that count, at any distance. A row that does not
 * count has the window of the previous row.
 *
 * `counted` has, for each row of the partition, the number of counted rows up to and including it;
 * null if every row counts. Until `size` rows have counted, there is a result only if `partial`.
 *
 * Cost per row: one row in, one out. Source: Fenl's sliding(n, bool). Guarded by
 * SlidingMotionSuite.
 */
final class SlidingMotion(counted: LongColumn, size: Long, partial: Boolean) extends RowMotion {
  private var lo = 0L
  private var hi = 0L

  override def evicts: Boolean = true

  override def isImmediate: Boolean = true

  override def start: Long = lo

  override def end: Long = hi

  override def floor: Long = lo

  override def startPartition(first: Long): Unit = {
    lo = first
    hi = first
    clear()
  }

  override def arrive(arrived: Long): Unit = ()

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = true

  override def advance(row: Long): Boolean = {
    val newHi = if (counted == null) row + 1 else counted(row)
    val changed = newHi != hi || row == 0L
    if (newHi != hi) {
      val newLo = math.max(lo, newHi - size)
      if (newLo > lo) leave(lo, newLo)
      enter(hi, newHi)
      lo = newLo
      hi = newHi
    }
    changed
  }

  override def hasResult: Boolean = partial || hi - lo == size
}

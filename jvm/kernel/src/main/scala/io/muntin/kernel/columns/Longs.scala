package io.muntin.kernel.columns

import io.muntin.kernel.memory.{Memory, Paging}

/**
 * A long for each of the numbers from 0, read and written here and there: a column of longs that forgets none of
 * them. Where memory is short and the task has a disk, pages of them go there.
 *
 * Cost per look: that of a column of longs; of a number that is on disk a read and most often a write of 1 KiB. 8 bytes
 * per number, on disk a fraction of one. Guarded by LongsSuite.
 */
private[kernel] final class Longs(memory: Memory) {
  private val column = new LongColumn(memory, nullable = false)

  column.addReader(Column.Everything)
  memory.paging.foreach(column.scattersTo(_, Paging.ScatteredLongs))

  /** Whether some of them may be on disk. */
  def isPaged: Boolean = column.isPaged

  def apply(i: Int): Long = column(i.toLong)

  def update(i: Int, value: Long): Unit = column(i.toLong) = value

  /** Adds to the long of `i`; the sum. */
  def add(i: Int, change: Long): Long = column.add(i.toLong, change)

  /** Makes room for the long of `i`, which is 0 until it is written. */
  def makeRoom(i: Int): Unit = while (column.size <= i) column.append(0L)

  /** Forgets all, and keeps the memory. */
  def clear(): Unit = column.clear()

  /** Forgets all, and gives back the memory but for that of a few. */
  def shrink(): Unit = column.shrink()

  def close(): Unit = column.close()
}

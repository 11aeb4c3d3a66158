package io.muntin.kernel.motions

import io.muntin.kernel.columns.Column

/**
 * A motion whose windows are assigned by another motion, which also retains the rows. Rows leave.
 */
abstract class AssignedWindows(rows: Column.Reader) extends Motion {
  protected final var lo: Long = 0L
  protected final var hi: Long = 0L

  final override def evicts: Boolean = true

  final override def start: Long = lo

  final override def end: Long = hi

  final override def floor: Long = rows.floor

  final override def startPartition(): Unit = {
    lo = 0L
    hi = 0L
    clear()
  }

  final override def arrive(arrived: Long): Unit = ()
}

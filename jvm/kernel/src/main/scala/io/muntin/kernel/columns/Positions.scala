package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * A queue of row positions: appended at the end, dropped at the front. The positions in between can
 * be spilled.
 *
 * Cost: as LongColumn. Guarded by PositionsSuite.
 */
final class Positions(memory: Memory) {
  private val rows = LongColumn.of(memory, new Column.Reader { override def floor: Long = first })
  private var first = 0L

  def size: Long = rows.size - first

  /** Returns the `index`-th position from the front, counted from 0. */
  def apply(index: Long): Long = rows(first + index)

  def append(position: Long): Unit = rows.append(position)

  def dropBefore(position: Long): Unit =
    while (first < rows.size && rows(first) < position) first += 1

  /** Each result reads all positions, so they may not be spilled. */
  def staysInMemory(): Unit = rows.staysInMemory()

  def clear(): Unit = {
    rows.clear()
    first = 0L
  }

  def close(): Unit = rows.close()
}

package io.muntin.kernel.extremes

import io.muntin.kernel.{Abilities, Followed}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * SlidingExtreme for frames that always contain some rows after all others: a cell holds the
 * extreme of these rows. It is for types whose equal values are identical.
 *
 * Cost per row: SlidingExtreme's; a comparison and a copy per result. Guarded by FollowedSuite.
 */
final class FollowedExtreme(memory: Memory, column: LongColumn, sign: Int)
    extends Pick
    with Followed {
  private val rows = new SlidingExtreme(memory, column, column, sign, latest = false)
  private val following = new RunningExtreme(column, column, sign, latest = false)

  // Holds the result, which may be from either column.
  override val values: Column = column.cells(1)

  override def position: Long = {
    val first = rows.position
    val last = following.position
    if (last >= 0L && (first < 0L || sign * column.compareTo(first, following.values, last) < 0)) {
      values.set(0L, following.values, last)
      0L
    } else if (first >= 0L) {
      values.set(0L, column, first)
      0L
    } else Pick.None
  }

  override def clear(): Unit = {
    rows.clear()
    following.clear()
  }

  override def enter(from: Long, until: Long): Unit = rows.enter(from, until)

  override def leave(from: Long, until: Long): Unit = rows.leave(from, until)

  override def follow(from: Long, until: Long): Unit = following.enter(from, until)

  override def close(): Unit = {
    rows.close()
    following.close()
    values.close()
  }
}

object FollowedExtreme {
  val abilities: Abilities = Abilities("two stacks of positions", follows = true)
}

package io.muntin.kernel.extremes

import io.muntin.kernel.{Abilities, PieceCombiner}
import io.muntin.kernel.columns.Column
import io.muntin.kernel.lists.{ListedRows, SlidingList}
import io.muntin.kernel.memory.Memory

/**
 * Picks the n-th row of a frame, counted from 1 at its start, or from -1 at its end: first, last,
 * nth_value, lead and lag. With `present`, only rows for which it is not null count (IGNORE NULLS,
 * FILTER).
 *
 * Cost per row: index arithmetic; with `present` a queue of the rows that count, 8 bytes each.
 * Guarded by NthSuite.
 */
final class SlidingNth(memory: Memory, override val values: Column, present: Option[Column], n: Int)
    extends Pick {
  private val rows = new SlidingList(memory, values, present)

  override def clear(): Unit = rows.clear()

  override def enter(from: Long, until: Long): Unit = rows.enter(from, until)

  override def leave(from: Long, until: Long): Unit = rows.leave(from, until)

  override def position: Long = {
    val index = if (n > 0) n - 1 else rows.size + n
    if (index < 0 || index >= rows.size) Pick.None else rows.position(index)
  }

  override def close(): Unit = rows.close()
}

/** The n-th row of a frame of several pieces. Guarded by PiecesSuite. */
final class NthOfPieces(rows: ListedRows, n: Int) extends Pick with PieceCombiner {
  override def values: Column = rows.values

  override def position: Long = {
    val index = if (n > 0) n - 1 else rows.size + n
    if (index < 0 || index >= rows.size) Pick.None else rows.position(index)
  }
}

object SlidingNth {

  /** `marked`: only some rows of the frame count. */
  def abilities(marked: Boolean): Abilities =
    Abilities(if (marked) "queue of positions" else "position in the frame")
}

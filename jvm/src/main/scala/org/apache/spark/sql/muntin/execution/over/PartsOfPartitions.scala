package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

/**
 * Frames over a part of a partition, whose other rows are in other tasks, as far as all frames can
 * start anywhere (`PlannedFrame.startsAnywhere`). A part is resumed with the rows of its halo,
 * which arrive for the frames of later rows. Where a frame takes all rows before the part, or
 * behind it, these rows pass by first, in any order:
 *
 *     startPartition   precede(…)  follow(…)   arriveInside(first)
 *     arrive(halo)   skipTo(own)   arrive …
 */
trait PartsOfPartitions extends WholePartitions {

  /**
   * Begins with the row at `first`, before which rows need not be there. `counted`: for how many of
   * the rows before `first` the condition of a lane is true, where the halo asks for it.
   */
  def startInside(first: Long, counted: Expression => Long): Unit

  /** A row passes by that lies before all that arrive. */
  def precede(row: UnsafeRow): Unit

  /** A row passes by that lies behind all that arrive. */
  def follow(row: UnsafeRow): Unit

  /**
   * The rows beyond have passed by: the row at `first` is the next to arrive; `counted` as above.
   */
  def arriveInside(first: Long, counted: Expression => Long): Unit

  /** Moves on to the row `next`: nobody asks for the results of the rows before it. */
  def skipTo(next: Long): Unit
}

package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

/**
 * Runs frames over a chunk whose partition has other rows in other tasks, if all frames can start
 * anywhere (`PlannedFrame.isSplittable`). The rows of the halo arrive first, for the frames of
 * the chunk's own rows. If a frame contains all rows before the chunk, or all rows after it, these
 * rows are added before any row arrives, in any order:
 *
 *     startPartition   precede(…)  follow(…)   arriveInside(first)
 *     arrive(halo)   skipTo(own)   arrive …
 *
 * The rows before position 40 of a partition are in other tasks; frames are ROWS 2 PRECEDING and
 * ROWS UNBOUNDED PRECEDING:
 *
 *     startPartition   precede(rows 0 to 37, in any order)   arriveInside(38)
 *     arrive(row 38)   arrive(row 39)   skipTo(40)   arrive(row 40): its results are ready   …
 */
trait SplitPartitions extends WholePartitions {

  /**
   * Starts with the row at `first`; the rows before it need not arrive. `counted`: for how many of
   * the rows before `first` the condition of a lane is true, if the halo requests it.
   */
  def startInside(first: Long, counted: Expression => Long): Unit

  /** Adds a row that precedes all rows that will arrive. */
  def precede(row: UnsafeRow): Unit

  /** Adds a row that follows all rows that will arrive. */
  def follow(row: UnsafeRow): Unit

  /**
   * Completes `precede` and `follow`: the row at `first` arrives next; `counted` as in
   * `startInside`.
   */
  def arriveInside(first: Long, counted: Expression => Long): Unit

  /** Moves to the row `next`: the results of the rows before it are not needed. */
  def skipTo(next: Long): Unit
}

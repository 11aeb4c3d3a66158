package org.apache.spark.sql.muntin.execution.over

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

/**
 * Runs frames over the partitions of a stream, micro-batch by micro-batch. When a partition
 * resumes, the rows that frames still hold (`floor`) arrive again, and the state that these rows do
 * not determine (`save`) is restored:
 *
 *     resume(state, floor)   arrive(kept rows)   skipTo(next)
 *     arrive(new rows)   raiseBound(watermark)   advance …   save(state, floor)
 *
 * With RANGE 5 PRECEDING, rows at t = 10, 12 and 15, and a watermark of 18:
 *
 *     arrive(10) advance   arrive(12) advance   arrive(15) advance
 *     raiseBound(18)   floor: frames of later rows begin at t = 13 or later: row 2 (t = 15)
 *     save(first = 2)   … the next micro-batch: resume(first = 2)   arrive(15)   skipTo(3)   …
 */
trait ResumedPartitions extends WholePartitions {

  /**
   * Resumes a partition: reads what `save` wrote; the rows from `first` on arrive again, in order.
   */
  def resume(in: DataInput, first: Long): Unit

  /** Moves to the row `next`: the results of the rows before it have been emitted. */
  def skipTo(next: Long): Unit

  /**
   * Raises the bound: no later row is below `row` in its `time`, so windows that end before it are
   * ready.
   */
  def raiseBound(time: Attribute, row: InternalRow): Unit

  /** Undoes `raiseBound`, before the next row arrives. */
  def takeBackBound(): Unit

  /** Writes the state that the rows from `first` on do not determine. */
  def save(out: DataOutput, first: Long): Unit

  /**
   * Returns the first row that must arrive again: no earlier row is in a window that has yet to be
   * emitted. `isBoundKnown`: `raiseBound` holds, and no later row is below the bound.
   */
  def floor(isBoundKnown: Boolean): Long

  /** Releases the rows before `first`, which `save` and `floor` no longer need. */
  def release(first: Long): Unit

  /** Makes `advance` write every result again, because its target has been overwritten. */
  def rewrite(): Unit

  /**
   * Returns true if no later row's window contains a row that has arrived; `isBoundKnown` as in
   * `floor`.
   */
  def isOver(isBoundKnown: Boolean): Boolean

  /** Returns true if rows are counted from the partition's first row on. */
  def isRanked: Boolean
}

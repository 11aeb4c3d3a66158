package org.apache.spark.sql.muntin.execution.over

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

/**
 * Frames over the partitions of a stream, micro-batch by micro-batch. A partition that goes on gets
 * again the rows that frames still hold (`floor`), and what rows do not say (`save`):
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
   * Goes on with a partition: reads what `save` wrote; the rows from `first` on arrive again, in
   * order.
   */
  def resume(in: DataInput, first: Long): Unit

  /** Moves on to the row `next`: the results of the rows before it have been written. */
  def skipTo(next: Long): Unit

  /** No later row is below `row` in its `time`: windows that end before it are ready. */
  def raiseBound(time: Attribute, row: InternalRow): Unit

  /** Undoes `raiseBound`, before the next row arrives. */
  def takeBackBound(): Unit

  /** Writes what the rows from `first` on do not say. */
  def save(out: DataOutput, first: Long): Unit

  /**
   * The first row that has to arrive again: no earlier row is in a window that has yet to come out.
   * `boundKnown`: `raiseBound` holds, and no later row is below the bound.
   */
  def floor(boundKnown: Boolean): Long

  /** `save` and `floor` no longer need the rows before `first`. */
  def release(first: Long): Unit

  /** The target of `advance` has been overwritten: every result is written anew. */
  def rewrite(): Unit

  /** Whether no later row has a window that holds a row which has arrived; as `floor` has it. */
  def isOver(boundKnown: Boolean): Boolean

  /** Whether rows are counted from the partition's first row on. */
  def isRanked: Boolean
}

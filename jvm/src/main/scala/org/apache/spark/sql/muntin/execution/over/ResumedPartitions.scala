package org.apache.spark.sql.muntin.execution.over

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

/**
 * Frames over the partitions of a stream, micro-batch by micro-batch. A partition that goes on gets
 * the rows again that frames still hold (`floor`), and what rows do not say (`save`):
 *
 *     resume(state, floor)   arrive(kept rows)   skipTo(next)
 *     arrive(new rows)   raiseBound(watermark)   advance …   save(state, floor)
 */
trait ResumedPartitions extends WholePartitions {

  /**
   * Goes on with a partition of which `save` has written what it holds besides its rows: the rows
   * from `first` on arrive again, in order.
   */
  def resume(in: DataInput, first: Long): Unit

  /** Moves on to the row `next`: the results of the rows before it have been written, once. */
  def skipTo(next: Long): Unit

  /** No later row is below `row` in its `time`: windows that end before it are ready. */
  def raiseBound(time: Attribute, row: InternalRow): Unit

  /** Takes `raiseBound` back, before the next row arrives. */
  def takeBackBound(time: Attribute): Unit

  /** Writes what the rows from `first` on do not say. */
  def save(out: DataOutput, first: Long): Unit

  /**
   * The first row that has to arrive again: no row before it is in a window that is still to come
   * out. Where `foreseen`, no later row is before the time that was foreseen.
   */
  def floor(boundKnown: Boolean): Long

  /** The rows before `first` are gone: nobody asks `save` and `floor` about them again. */
  def release(first: Long): Unit

  /** The target of `advance` has been used by others: every result is written anew. */
  def rewrite(): Unit

  /** Whether it counts rows from the first one on. */
  def isRanked: Boolean
}

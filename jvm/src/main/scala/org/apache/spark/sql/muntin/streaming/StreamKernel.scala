package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import scala.annotation.unused

import io.muntin.kernel.columns.LongColumn
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The kernels of a task. They run one group after the other. A group runs as long as a micro-batch
 * has work for it.
 *
 *     sum(x) OVER (ORDER BY t ROWS 2 PRECEDING), rows at t = 1 2 3, and 4 in the next micro-batch
 *     1st   start; arrive(1), next, arrive(2), next, arrive(3), next; raiseBound, next
 *           save; floor = 1: the rows at positions 1 and 2 are kept (t = 2 and 3)
 *     2nd   resume(first = 1, written = 3); replayRow(2), replayRow(3); resumed
 *           arrive(4), next; raiseBound, next; save
 *
 * `next` is called until it finds no result. If windows are cut at times, `cutAt` precedes the new
 * rows.
 *
 * Results depend only on the rows, never on the boundaries of micro-batches.
 */
abstract class StreamKernel {

  /** Starts a group without state. */
  def start(key: UnsafeRow): Unit

  /**
   * Resumes a group: its rows from `first` on arrive again. Rows before `written` have had their
   * results.
   */
  def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit

  /**
   * Resumes a started group of a changed query, which `before` has resumed for the previous query,
   * as `resume` does. `continuing` has the ordinals of functions with the state of the previous
   * query, in this query and in the previous one.
   */
  def adopt(
      @unused before: StreamKernel,
      @unused first: Long,
      @unused written: Long,
      @unused continuing: Map[Int, Int]
  ): Unit =
    throw new UnsupportedOperationException(s"$getClass does not run changed queries")

  /** Returns the accumulators of the function at this ordinal. */
  def accumulators(@unused ordinal: Int): Seq[AnyRef] = Nil

  /** Completes the adoption, after `resumed`. */
  def adopted(): Unit = ()

  /** Receives the kept row at `position` again. */
  def replayRow(@unused position: Long, row: UnsafeRow): Unit = arrive(row)

  /** Resumes a group that has stayed in memory since an earlier micro-batch. */
  def resumeWarm(): Unit

  /** Allows the kernel to drop the rows before `floor`, which the state no longer holds. */
  def forget(floor: Long): Unit = ()

  /** Completes the resumption: all kept rows have arrived again. */
  def resumed(): Unit

  /** Throws an error for a row that cannot have a result, before the row is buffered. */
  def check(row: UnsafeRow): Unit = ()

  /** If marks cut windows: receives the marks of this micro-batch, in ascending order. */
  def cutAt(times: LongColumn): Unit = ()

  /**
   * Returns true if the row has a position and may be retained. Other rows are done when they have
   * arrived.
   */
  def keeps(row: UnsafeRow): Boolean = true

  /** Receives a row. The caller may reuse the row afterwards. */
  def arrive(row: UnsafeRow): Unit

  /** Raises the bound, in microseconds: no later row has a time below it. */
  def raiseBound(bound: Long): Unit

  /**
   * In real-time mode: releases the result of the row that arrived last, without a bound. Returns
   * false if the kernel needs a bound.
   */
  def releaseLast(): Boolean = false

  /**
   * Ends the stream: no row of any group follows, and `newest` is the newest time. `next` then
   * finds all remaining results, and the state keeps nothing of the group.
   */
  def end(newest: Long): Unit

  /** Finds the next result that is ready. Returns false if there is none. */
  def next(): Boolean

  /** Returns the result that `next` has found; valid until the next call of `next`. */
  def result: InternalRow

  /**
   * Returns the position of the first row to keep; the position after the last row, if no row must
   * be kept.
   */
  def floor: Long

  /** If single rows are kept: returns the positions of the rows to keep, in ascending order. */
  def positions: Array[Long] =
    throw new UnsupportedOperationException("single rows are not retained")

  /** Returns the number of rows that have arrived. */
  def arrived: Long

  /**
   * Returns the position before which all rows have had their results: the state keeps only the
   * columns of these rows that windows read.
   */
  def written: Long

  /** Writes the state that the kept rows do not determine. */
  def save(out: DataOutput): Unit

  /** Returns true if the state need not keep the group: its next row could start it again. */
  def isDone: Boolean

  /**
   * Returns the start of the oldest open window, or the time of the oldest buffered row;
   * Long.MaxValue if no window is open and no row is buffered.
   */
  def begin: Long = Long.MaxValue

  /**
   * Returns the bound at which the group has work without another row, such as a result or an
   * eviction; Long.MaxValue if there is no such bound.
   */
  def wakeUpTime: Long
}

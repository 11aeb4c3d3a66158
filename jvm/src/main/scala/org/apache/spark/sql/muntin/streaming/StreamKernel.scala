package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import scala.annotation.unused

import io.muntin.kernel.columns.LongColumn
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The kernels of a task. They run one group after the other, each group for as long as a
 * micro-batch has something for it.
 *
 *     sum(x) OVER (ORDER BY t ROWS 2 PRECEDING), rows at t = 1 2 3, and 4 in the next micro-batch
 *     1st   start; arrive(1), next, arrive(2), next, arrive(3), next; raiseBound, next
 *           save; floor = 1: the rows at positions 1 and 2 are kept (t = 2 and 3)
 *     2nd   resume(first = 1, written = 3); arriveAgain(2), arriveAgain(3); resumed
 *           arrive(4), next; raiseBound, next; save
 *
 * `next` is called for as long as it finds a result. Where windows are cut at times, `cutAt` comes
 * before the new rows.
 *
 * Results depend on the rows alone, never on where one micro-batch ends and the next begins.
 */
abstract class StreamKernel {

  /** Begins a group of which the state holds nothing. */
  def start(key: UnsafeRow): Unit

  /**
   * Goes on with a group: its rows from `first` on arrive again. Rows before `written` have had
   * their results.
   */
  def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit

  /** The row at `position`, which was kept, arrives again. */
  def arriveAgain(@unused position: Long, row: UnsafeRow): Unit = arrive(row)

  /** Goes on with a group that has stayed in memory since an earlier micro-batch. */
  def goOn(): Unit

  /** The state no longer holds the rows before `floor`: the kernel may forget them. */
  def forget(floor: Long): Unit = ()

  /** All rows that were kept have arrived again. */
  def resumed(): Unit

  /** Throws an error for a row that can have no result: before the row waits for the watermark. */
  def check(row: UnsafeRow): Unit = ()

  /** Where windows are cut at marks: the marks of this micro-batch, which ascend. */
  def cutAt(times: LongColumn): Unit = ()

  /**
   * Whether the row has a position, and may have to be kept. Other rows are done when they have
   * arrived.
   */
  def keeps(row: UnsafeRow): Boolean = true

  /** The row may be reused by the caller when this returns. */
  def arrive(row: UnsafeRow): Unit

  /** From now on no row arrives whose time is below `bound`, in microseconds. */
  def raiseBound(bound: Long): Unit

  /**
   * The stream ends: no row of any group follows, and the newest was at `newest`. `next` finds all
   * results that are left, and nothing of the group is kept.
   */
  def end(newest: Long): Unit

  /** Finds the next result that is ready. */
  def next(): Boolean

  /** The result that `next` has found; valid until it is called again. */
  def result: InternalRow

  /** The first row that has to be kept; the position after the last, where none has to. */
  def floor: Long

  /**
   * Where rows are kept one by one: the positions of the rows that have to be kept, in their order.
   */
  def positions: Array[Long] =
    throw new UnsupportedOperationException("all rows from the floor on are kept")

  /** How many rows have arrived. */
  def arrived: Long

  /**
   * The rows before this position have had their results: only the columns that windows read are
   * kept of them.
   */
  def written: Long

  /** Writes what cannot be found from the kept rows. */
  def save(out: DataOutput): Unit

  /** Whether nothing of the group has to be kept: its next row could begin it anew. */
  def isDone: Boolean

  /**
   * Returns the start of the oldest open window, or the time of the oldest row that waits for its
   * result; Long.MaxValue if no window is open and no row waits.
   */
  def begin: Long = Long.MaxValue

  /**
   * The bound from which there is something to do without another row, such as a result or a row
   * that leaves; Long.MaxValue where there is none.
   */
  def wake: Long
}

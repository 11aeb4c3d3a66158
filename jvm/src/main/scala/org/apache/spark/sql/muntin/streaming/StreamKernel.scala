package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The kernels of a task, one group after the other, each for as long as a micro-batch has something
 * for it. A group begins with `start`, or goes on: `resume`, its kept rows by `arrive` (or
 * `arriveAgain`), `resumed`. Then come the times to `cutAt`, where there are such, and its new rows
 * in order, with `next` after each for as long as there is a result; at last `raiseBound`, `next`
 * again, and what has to be kept is asked for.
 *
 * What comes out is a function of the rows alone, never of where micro-batches have cut them.
 */
abstract class StreamKernel {

  /** Begins a group of which nothing is known; `key`, its keys. */
  def start(key: UnsafeRow): Unit

  /**
   * Goes on with a group: the rows from `first` on arrive again, of which those before `answered`
   * are done.
   */
  def resume(key: UnsafeRow, in: DataInput, first: Long, written: Long): Unit

  /** Rows are kept each for itself, as the job says. */
  def scatters: Boolean = false

  /** Where it is so: the row at `position`, which was kept, arrives again. */
  def arriveAgain(position: Long, row: UnsafeRow): Unit = throw notScattered

  /**
   * Goes on with the group that it was left at, some micro-batches ago, with all that it held then.
   */
  def goOn(): Unit

  /** The rows before `floor` have gone from the state: it may forget them. */
  def forget(floor: Long): Unit = ()

  /** All rows that were kept have arrived again. */
  def resumed(): Unit

  /** Throws UnfitRow for a row for which there is no result: when it comes, before it waits. */
  def check(row: UnsafeRow): Unit = ()

  /**
   * Where the job is marked: windows are cut at these times, all that there are in this
   * micro-batch.
   */
  def cutAt(times: LongColumn): Unit = ()

  /**
   * Whether a row has a position, and may have to be kept; the others are done when they have
   * arrived.
   */
  def keeps(row: UnsafeRow): Boolean = true

  /** The row may be reused by the caller when this returns. */
  def arrive(row: UnsafeRow): Unit

  /** No row will come whose time is below `bound`, in microseconds. */
  def raiseBound(bound: Long): Unit

  /** Finds the next result that can be told. */
  def next(): Boolean

  /** The result that `next` has found; valid until it is called again. */
  def result: InternalRow

  /** The first row that has to be kept; the position after the last, where none has to. */
  def floor: Long

  /** Where it `scatters`: the positions of the rows that have to be kept, in their order. */
  def positions: Array[Long] = throw notScattered

  private def notScattered =
    new UnsupportedOperationException("all rows from the floor on are kept")

  /** How many rows have arrived. */
  def arrived: Long

  /**
   * Rows before this one will not be written out any more: of them only what windows read is kept.
   */
  def written: Long

  /** Writes what cannot be told of the kept rows. */
  def save(out: DataOutput): Unit

  /** Nothing has to be kept of the group: it could begin anew. */
  def isDone: Boolean

  /**
   * At which bound there is something to do without another row: results come out, rows leave.
   * Long.MaxValue where that is never so.
   */
  def wake: Long
}

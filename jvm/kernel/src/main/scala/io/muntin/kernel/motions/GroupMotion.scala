package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn

/**
 * A motion that finds all windows of a group in its rows. After rows have arrived, the caller calls
 * `next` until it returns false.
 *
 * On a stream, a group continues from the state of an earlier micro-batch:
 *
 *     at the end of a micro-batch   next (until it returns false), kept; unless isDone: save, wake
 *     in a later micro-batch        startPartition(first = the value of kept), resume,
 *                                   arrive (the rows from first on again; no window is found),
 *                                   cutAt (if times are cut), arrive and next (new rows),
 *                                   raiseBound
 *     in the last micro-batch       the same, but end instead of raiseBound
 *
 * Each window is found only once: `save` writes which window is next. After `resume` the
 * accumulators hold no row: the rows of the next window enter when it is found. Results depend only
 * on the rows and their positions, and positions do not change. If no row leaves, accumulators may
 * be saved instead of rows.
 *
 * If rows leave in any order, the rows that have not left (`positions`) arrive again one by one,
 * and `oldestNeeded` is the position of the next new row.
 */
abstract class GroupMotion extends Motion {

  /**
   * Moves to the next window to emit, if it is ready with the rows before `arrived`. `ended` is
   * true if no more rows will arrive. If `next` returned false, the next call continues with the
   * rows that have arrived since.
   */
  def next(arrived: Long, ended: Boolean): Boolean

  /** Starts a group with the row at `first`. Windows to be found do not contain earlier rows. */
  def startPartition(first: Long): Unit = if (first == 0L) startPartition() else throw notOnStreams

  /**
   * Skips the windows that begin before the windows of the next row: they belong to another chunk
   * of the group. The rows before `arrived` are only for later windows. If windows are on a grid,
   * `between` selects the windows of this chunk instead.
   */
  def passOver(arrived: Long): Unit = ()

  /**
   * If windows are on a grid: finds only the windows whose grid positions are in [`from`, `until`).
   * All rows of these windows arrive. Valid until `startPartition`.
   */
  def between(from: Long, until: Long): Unit = ()

  /**
   * Writes which window is next, and all other state that the rows that arrive again do not
   * determine.
   */
  def save(out: DataOutput): Unit = throw notOnStreams

  /** Reads what `save` wrote, after `startPartition`. */
  final def resume(in: DataInput): Unit = resume(in, isSaved = saves)

  /**
   * Reads what the motion of another query over the same windows wrote. `isSaved` is true if its
   * accumulators were saved as well; else the rows arrive again.
   */
  def resume(in: DataInput, isSaved: Boolean): Unit = throw notOnStreams

  /**
   * Sets a lower bound, in microseconds, of the times of later rows of all groups: `next` finds the
   * windows that it makes ready. Valid until `startPartition`.
   */
  def raiseBound(bound: Long): Unit = throw notOnStreams

  /**
   * Ends the stream: no row of any group follows, and the newest row was at `newest`. With `ended`,
   * `next` emits all open windows, as at the end of a batch. Valid until `startPartition`.
   */
  def end(newest: Long): Unit = ()

  /**
   * Cuts windows at these ascending times: all times from the previous micro-batch's bound up to
   * this micro-batch's bound. The next micro-batch has other times; its first time may be the last
   * time of this one.
   */
  def cutAt(times: LongColumn): Unit = throw notOnStreams

  /**
   * Returns the first row that must arrive again; the position after the last row, if no row must.
   */
  def oldestNeeded: Long = throw notOnStreams

  /**
   * If rows are stored one by one: the row at `position`, which is still needed, has arrived again.
   */
  def replayRow(position: Long): Unit = throw notOnStreams

  /** Returns the positions of the rows that are stored one by one, in ascending order. */
  def positions: Array[Long] = throw notOnStreams

  /**
   * Returns the bound at which a window is ready, or the motion is done, without another row;
   * Long.MaxValue if there is no such bound.
   */
  def wakeUpTime: Long = throw notOnStreams

  /**
   * After `next` returned false: the start of the oldest open window. A window that opens later
   * begins at or after it, or at a later row. Long.MaxValue if no window is open, or if the motion
   * does not report it.
   */
  def begin: Long = Long.MaxValue

  /** Returns true if the group has no state to save: its next row can start a new group. */
  def isDone: Boolean = throw notOnStreams

  /** True if the accumulators are saved with the motion: then none of their rows arrives again. */
  def saves: Boolean = false

  private def notOnStreams = new UnsupportedOperationException(s"$getClass is not for streams")
}

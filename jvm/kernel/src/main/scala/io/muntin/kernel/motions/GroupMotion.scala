package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn

/**
 * A motion that finds the windows of a group in its rows, as many as there are: after rows have
 * arrived the caller calls `next` for as long as it finds a window.
 *
 * On a stream a group goes on where an earlier micro-batch left it:
 *
 *     at the end of a micro-batch   next (until it finds none), kept; unless isDone: save, wake
 *     in a later micro-batch        startPartition(first = what kept was), resume,
 *                                   arrive (the rows from first on again; no window is found),
 *                                   cutAt (if times are cut), arrive and next (new rows),
 *                                   raiseBound
 *     in the last micro-batch       the same, but end in the place of raiseBound
 *
 * A window that was found is not found again: `save` wrote which window is the next.
 * After `resume` the accumulators hold no row: the rows of the next window enter when it is found.
 * Results depend on the rows and their positions alone, and positions stay what they were. Where no
 * row leaves, accumulators may be saved in the place of rows.
 *
 * Where rows leave in any order, the rows that are still there (`positions`) arrive again one by
 * one, and `oldestNeeded` is the position of the next new row.
 */
abstract class GroupMotion extends Motion {

  /**
   * Moves to the next window to emit, if it is ready with the rows before `arrived`. `ended` is
   * true if no more rows will arrive. After a `next` that found no window, the next call continues
   * with the rows that have arrived since.
   */
  def next(arrived: Long, ended: Boolean): Boolean

  /**
   * Begins a group with the row at `first`; rows before `first` are in no window that is still to
   * be found.
   */
  def startPartition(first: Long): Unit = if (first == 0L) startPartition() else throw notOnStreams

  /**
   * Passes over the windows that begin before the windows of the next row: they belong to another
   * chunk of the group. The rows before `arrived` are only for later windows. If windows are on a
   * grid, `between` selects the windows of this chunk instead.
   */
  def passOver(arrived: Long): Unit = ()

  /**
   * Where windows lie on a grid: only the windows whose places on the grid lie from `from` until
   * `until` are found, and all rows that they reach are there. Holds until `startPartition`.
   */
  def between(from: Long, until: Long): Unit = ()

  /** Writes which window is the next: all that cannot be found from the rows that arrive again. */
  def save(out: DataOutput): Unit = throw notOnStreams

  /** Reads what `save` wrote, after `startPartition`. */
  def resume(in: DataInput): Unit = throw notOnStreams

  /**
   * From now on no row of any group arrives whose time is below `bound`, in microseconds: `next`
   * finds the windows that are ready by it. Holds until `startPartition`.
   */
  def raiseBound(bound: Long): Unit = throw notOnStreams

  /**
   * The stream ends: no row of any group follows, and the newest was at `newest`. `next` emits all
   * open windows with `ended`, as at the end of a batch. Holds until `startPartition`.
   */
  def end(newest: Long): Unit = ()

  /**
   * Windows are cut at these times, which ascend: all times from the bound of the micro-batch
   * before up to the bound of this micro-batch. The next micro-batch has other times; its first
   * time may be the last time of this one.
   */
  def cutAt(times: LongColumn): Unit = throw notOnStreams

  /** The first row that has to arrive again; the position after the last, where none has to. */
  def oldestNeeded: Long = throw notOnStreams

  /**
   * Where rows are kept one by one: the row at `position` has arrived again, if it is still needed.
   */
  def replayRow(position: Long): Unit = throw notOnStreams

  /** The positions of the rows that are kept one by one, in their order. */
  def positions: Array[Long] = throw notOnStreams

  /**
   * The bound at which a window is ready, or the motion is done, without another row; Long.MaxValue
   * if there is not one.
   */
  def wakeUpTime: Long = throw notOnStreams

  /**
   * When `next` has found none: when the oldest open window begins. A window that opens later
   * begins there, or later, or at a later row. Long.MaxValue where none is open, or the motion does
   * not say.
   */
  def begin: Long = Long.MaxValue

  /** Returns true if the group has no state to save: its next row can start a new group. */
  def isDone: Boolean = throw notOnStreams

  /** Whether the accumulators are saved with the motion: then no row of theirs arrives again. */
  def saves: Boolean = false

  private def notOnStreams = new UnsupportedOperationException(s"$getClass on a stream")
}

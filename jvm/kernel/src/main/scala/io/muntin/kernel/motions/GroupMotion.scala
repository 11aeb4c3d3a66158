package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn

/**
 * A motion with windows of its own making, as many as it finds in the rows of a group: as rows
 * arrive, `next` for as long as it finds one.
 *
 * On a stream a group goes on where an earlier micro-batch left it. At the end of one, when `next`
 * has found nothing more: `kept`, and unless `isDone`, `save` and `wake`. In a later one:
 * `startPartition(first)`, where `first` is what `kept` was, `resume`, and the rows from `first` on
 * arrive again, of which nobody asks for windows; `cutAt`, where there is such; then new rows, and
 * after the last of them `foresee`. Windows that were found are not found again: what `save` writes
 * says which is the next. The accumulators hold no row then: the rows of the next window enter when
 * it is found, and what comes out is a function of them and of their positions, which are those
 * that they always had. Where no row leaves, accumulators may be saved in the place of rows.
 *
 * Where rows leave in any order, those arrive again that are still there (`positions`), each for
 * itself, and `kept` is the position of the next new row.
 */
abstract class GroupMotion extends Motion {

  /**
   * Moves to the next window that is answered, if it can be told from the rows before `arrived`;
   * `ended` says that no more rows will arrive. Each `next` after that which said no begins where
   * the rows have come to since.
   */
  def next(arrived: Long, ended: Boolean): Boolean

  /**
   * Begins a group with the row at `first`; rows before it are in no window that is still to be
   * found.
   */
  def startPartition(first: Long): Unit = if (first == 0L) startPartition() else throw notOnStreams

  /**
   * Passes over the windows that begin before those of the next row. The rows before `arrived`, all
   * that have come, are there for later windows alone: the others are those of another part of the
   * group. Where windows lie on a grid, `between` says so.
   */
  def passOver(arrived: Long): Unit = ()

  /**
   * Where windows lie on a grid: of the group that begins, only those whose places on it lie from
   * `from` on until `until` are found, and the rows are there that these reach. Forgotten with
   * `startPartition`.
   */
  def between(from: Long, until: Long): Unit = ()

  /** Writes which window is the next: all that rows that arrive again do not say. */
  def save(out: DataOutput): Unit = throw notOnStreams

  /** Takes that up again, after `startPartition`. */
  def resume(in: DataInput): Unit = throw notOnStreams

  /**
   * From now on no row of any group arrives whose time is below `bound`, in microseconds: what that
   * tells is found by `next`. Forgotten with `startPartition`.
   */
  def foresee(bound: Long): Unit = throw notOnStreams

  /**
   * Windows are cut at these times, which ascend: those from the bound that was foreseen in the
   * micro-batch before until the one that will be in this. The next micro-batch has others.
   */
  def cutAt(times: LongColumn): Unit = throw notOnStreams

  /** The first row that has to arrive again; the position after the last, where none has to. */
  def kept: Long = throw notOnStreams

  /**
   * Where rows are kept each for itself: the row at `position` is there again, if it is still
   * needed.
   */
  def arriveAgain(position: Long): Unit = throw notOnStreams

  /** Which rows these are, in their order. */
  def positions: Array[Long] = throw notOnStreams

  /**
   * The bound by which a window is told, or the motion done, without another row; else
   * Long.MaxValue.
   */
  def wake: Long = throw notOnStreams

  /** The group could begin anew with its next row: nothing has to be saved. */
  def isDone: Boolean = throw notOnStreams

  /** What the accumulators hold is to be saved with it, and no row of theirs arrives again. */
  def saves: Boolean = false

  private def notOnStreams = new UnsupportedOperationException(s"$getClass on a stream")
}

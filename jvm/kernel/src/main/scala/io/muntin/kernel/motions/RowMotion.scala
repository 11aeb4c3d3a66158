package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

/**
 * A motion with one window for each row of the partition. For each row, the caller calls `isReady`
 * as rows arrive, until the row's window is ready, and then calls `advance`.
 *
 * On a stream, a partition continues from the state of an earlier micro-batch: after
 * `startPartition(first)`, the rows from `first` on arrive again, and the caller skips their
 * windows. The rows of a window that only grows do not arrive again: `resume` restores the window
 * from the saved state.
 */
abstract class RowMotion extends Motion {
  final override def startPartition(): Unit = startPartition(0L)

  /** Starts with the row at `first`. Windows to be emitted do not contain earlier rows. */
  def startPartition(first: Long): Unit

  /**
   * Passes rows of the partition that are before all rows of this chunk, in any order: the
   * positions before `until`. They enter if every window of the partition contains them.
   */
  def precede(until: Long): Unit = startPartition(until)

  /** Passes rows of the partition that are after all rows of this chunk, in any order. */
  def follow(until: Long): Unit = startPartition(until)

  /** Continues with the row at `first`, after `precede` and `follow`. */
  def arriveNext(first: Long): Unit = startPartition(first)

  /** If no row leaves: writes the window's position. The accumulators save their own state. */
  def save(out: DataOutput): Unit = throw evicting

  /**
   * Reads what `save` wrote, after `startPartition`: the window's rows do not enter again.
   */
  def resume(in: DataInput): Unit = throw evicting

  /**
   * The rows at which the blocks of the accumulators begin. The rows that arrive again do not
   * determine them: `resume` sets them, when the rows have entered.
   */
  def origins: Seq[Long] = Nil

  def resume(origins: Seq[Long]): Unit = ()

  private def evicting = new UnsupportedOperationException(s"$getClass receives its rows again")

  /**
   * Sets whether the columns of keys hold a bound at the position after the last row: no later row
   * has a key below it. Then windows that end before the bound are ready.
   */
  def setBound(isKnown: Boolean): Unit = ()

  /**
   * Returns the first row that windows of later rows may contain, with a bound at position
   * `arrived`.
   */
  def oldestNeeded(arrived: Long): Long = math.min(start, arrived)

  /**
   * Returns true if a stream could forget the partition: no later row's window contains a row that
   * has arrived. `boundAt`: the position of the bound in the columns of keys; negative if they hold
   * no bound.
   */
  def isOver(boundAt: Long): Boolean = true

  /** True if every row's window is ready when the row arrives. */
  def isImmediate: Boolean

  /** Returns true if the window of `row` is ready; `ended` is true if no more rows will arrive. */
  def isReady(row: Long, arrived: Long, ended: Boolean): Boolean

  /**
   * Moves the window to `row`, which is ready. Returns true if the window's rows differ from
   * before.
   */
  def advance(row: Long): Boolean

  /** Returns true if the current row has a result; if not, every function of its window is null. */
  def hasResult: Boolean = true
}

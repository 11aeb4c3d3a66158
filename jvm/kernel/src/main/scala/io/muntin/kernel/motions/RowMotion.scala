package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

/**
 * A motion with one window for each row of the partition. For each row in turn the caller asks
 * `isReady` as rows arrive, until the row's window is ready, and then calls `advance`.
 *
 * On a stream a partition goes on where an earlier micro-batch left it: `startPartition(first)`;
 * then the rows from `first` on arrive again, and the caller passes over their windows. The rows of
 * a window that only grows do not arrive again: `resume` restores the window from what `save`
 * wrote.
 */
abstract class RowMotion extends Motion {
  final override def startPartition(): Unit = startPartition(0L)

  /**
   * Begins with the row at `first`. Windows that are still to be emitted do not contain earlier
   * rows.
   */
  def startPartition(first: Long): Unit

  /**
   * Rows of the partition that lie before all rows of this chunk pass by, in any order: the
   * positions before `until`. They enter if every window of the partition holds them.
   */
  def precede(until: Long): Unit = startPartition(until)

  /** The same for rows of the partition that lie behind all rows of this chunk. */
  def follow(until: Long): Unit = startPartition(until)

  /** Goes on with the row at `first`, after `precede` and `follow`. */
  def arriveNext(first: Long): Unit = startPartition(first)

  /** Where no row leaves: writes the window's position. The accumulators save what they hold. */
  def save(out: DataOutput): Unit = throw evicting

  /**
   * Reads what `save` wrote, after `startPartition`: the window's rows do not enter again.
   */
  def resume(in: DataInput): Unit = throw evicting

  /**
   * The rows that the blocks of the accumulators begin with. They cannot be found from the rows
   * that arrive again: `resume` sets them, when the rows have entered.
   */
  def origins: Seq[Long] = Nil

  def resume(origins: Seq[Long]): Unit = ()

  private def evicting = new UnsupportedOperationException(s"$getClass is given its rows again")

  /**
   * Whether the columns of keys hold a bound at the position after the last row: a key that no
   * later row is below. With it, windows that end before the bound are ready.
   */
  def setBound(isKnown: Boolean): Unit = ()

  /**
   * The first row that the windows of later rows may hold, where a bound is at position `arrived`.
   */
  def oldestNeeded(arrived: Long): Long = math.min(start, arrived)

  /**
   * Where a stream could forget the partition: whether no later row's window holds a row that has
   * arrived. `boundAt`: where the columns of keys hold a bound; negative where they hold none.
   */
  def isOver(boundAt: Long): Boolean = true

  /** Whether every row's window is ready as soon as the row has arrived. */
  def isImmediate: Boolean

  /** Whether the window of `row` is ready; `ended` says that no more rows will arrive. */
  def isReady(row: Long, arrived: Long, ended: Boolean): Boolean

  /** Moves the window to `row`, which is ready; whether the window holds other rows than before. */
  def advance(row: Long): Boolean

  /** Whether the current row has a result; if not, every function of its window is null. */
  def hasResult: Boolean = true
}

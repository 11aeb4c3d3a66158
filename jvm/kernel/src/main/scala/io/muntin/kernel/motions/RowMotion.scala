package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

/**
 * A motion with one window for each row of the partition: as rows arrive, for each row in turn
 * `isReady` until it is, and `advance`.
 *
 * On a stream a partition goes on where an earlier micro-batch left it: `startPartition(first)`,
 * the rows from `first` on again, and their windows, which nobody asks for. What a window that only
 * grows has taken in is not given again, but said: `resume`.
 */
abstract class RowMotion extends Motion {
  final override def startPartition(): Unit = startPartition(0L)

  /** Begins with the row at `first`; rows before it are in no window that is still to be told. */
  def startPartition(first: Long): Unit

  /**
   * The rows before `until` pass by, in any order, which come before all of which the windows are
   * told: they enter where they are in all windows.
   */
  def precede(until: Long): Unit = startPartition(until)

  /** The same of rows that come behind all that will arrive. */
  def follow(until: Long): Unit = startPartition(until)

  /** Goes on with the row at `first`, when these have passed by. */
  def arriveNext(first: Long): Unit = startPartition(first)

  /** Where no row leaves: writes where its window is, of which accumulators save what they hold. */
  def save(out: DataOutput): Unit = throw evicting

  /**
   * Takes that up again, after `startPartition`: the rows that the window holds do not enter again.
   */
  def resume(in: DataInput): Unit = throw evicting

  /**
   * Where the blocks of its accumulators begin, which rows that arrive again do not tell: `resume`
   * takes them up, when these have entered.
   */
  def origins: Seq[Long] = Nil

  def resume(origins: Seq[Long]): Unit = ()

  private def evicting = new UnsupportedOperationException(s"$getClass is given its rows again")

  /**
   * Whether the keys hold, at the position after the last row, one that no later row is below:
   * windows that end before it can be told.
   */
  def foresee(known: Boolean): Unit = ()

  /**
   * The first row that the windows of later rows may hold, where a key is foreseen at `arrived`.
   */
  def kept(arrived: Long): Long = math.min(start, arrived)

  /** Every row's window can be told as soon as the row is there. */
  def isImmediate: Boolean

  /** Whether the window of `row` can be told; `ended` says that no more rows will arrive. */
  def isReady(row: Long, arrived: Long, ended: Boolean): Boolean

  /** Moves the window to `row`, for which it is ready; whether it holds other rows than before. */
  def advance(row: Long): Boolean

  /** Whether the current row's window is one that is answered; where not, every result is null. */
  def answers: Boolean = true
}

package io.muntin.kernel

/**
 * A motion with one window for each row of the partition: as rows arrive, for each row in turn `isReady`
 * until it is, and `advance`.
 */
abstract class RowMotion extends Motion {

  /** Every row's window can be told as soon as the row is there. */
  def isImmediate: Boolean

  /** Whether the window of `row` can be told; `ended` says that no more rows will arrive. */
  def isReady(row: Long, arrived: Long, ended: Boolean): Boolean

  /** Moves the window to `row`, for which it is ready; whether it holds other rows than before. */
  def advance(row: Long): Boolean

  /** Whether the current row's window is one that is answered; where not, every result is null. */
  def answers: Boolean = true
}

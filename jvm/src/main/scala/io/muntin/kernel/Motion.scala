package io.muntin.kernel

/**
 * The rule that says which rows of a partition are in the window of each of its rows, and when that
 * can be told. It tells its accumulators which rows enter and which leave, and knows nothing of what
 * they make of them.
 *
 * For each partition: `startPartition`; then, as rows arrive in order, `arrive`, and for each row in
 * turn `isReady` until it is, and `advance`.
 */
abstract class Motion extends Column.Reader {
  private var accumulators: Array[Accumulator] = Array.empty

  /** From now on `accumulator` is told which rows enter and leave. */
  final def drive(accumulator: Accumulator): Unit = accumulators = accumulators :+ accumulator

  /** Rows leave: accumulators of this motion must be able to let them go. */
  def evicts: Boolean

  /** Every row's window can be told as soon as the row is there. */
  def isImmediate: Boolean

  /** The first row in the window of the current row. */
  def start: Long

  /** The position after the last row in the window of the current row. */
  def end: Long

  /** How many rows are in it. */
  def size: Long = end - start

  def startPartition(): Unit

  /** The rows before `arrived` are there. */
  def arrive(arrived: Long): Unit

  /** Whether the window of `row` can be told; `ended` says that no more rows will arrive. */
  def isReady(row: Long, arrived: Long, ended: Boolean): Boolean

  /** Moves the window to `row`, for which it is ready; whether it holds other rows than before. */
  def advance(row: Long): Boolean

  /** Whether the current row's window is one that is answered; where not, every result is null. */
  def answers: Boolean = true

  protected final def readsFrame: Boolean = accumulators.exists(_.readsFrame)

  /** Gives back the memory of its accumulators. */
  final def close(): Unit = accumulators.foreach(_.close())

  protected final def clear(): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).clear()
      i += 1
    }
  }

  protected final def enter(from: Long, until: Long): Unit = if (from < until) {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).enter(from, until)
      i += 1
    }
  }

  protected final def leave(from: Long, until: Long): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).leave(from, until)
      i += 1
    }
  }
}

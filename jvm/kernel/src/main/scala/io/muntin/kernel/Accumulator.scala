package io.muntin.kernel

/**
 * The running aggregate of the rows in a frame. A motion calls `enter` and `leave` with positions
 * of rows; the accumulator reads the rows' values from its columns.
 *
 * The rows of a frame are a range of positions, from the oldest row that has not left to the newest
 * row that has entered. Both ends only move forward. The result of an accumulator depends only on
 * these rows (exact groups, extremes, positions), or on these rows and the row at which blocks
 * begin (merge only). It never depends on the sequence of calls. So a restart, or another split of
 * the work, gives the same bits.
 *
 * Each accumulator has a typed result (`ExactSum.sum`, `Pick.position`), which the function that
 * created the accumulator reads.
 */
abstract class Accumulator {

  /** Removes all rows from the frame. Keeps the memory. */
  def clear(): Unit

  /** Adds the rows from `from` until `until`, which follow the newest row in the frame. */
  def enter(from: Long, until: Long): Unit

  /**
   * Removes the rows from `from` until `until`, the oldest in the frame. Not called if the frame
   * only grows.
   */
  def leave(from: Long, until: Long): Unit

  /**
   * Removes the oldest rows, from `start` until `newStart`, and adds the rows from `end` until
   * `newEnd`; some rows stay. Accumulators that replace one value by another override it. Common
   * accumulators override it with the same two calls, because in their own class the JIT compiler
   * knows the called methods.
   */
  def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    leave(start, newStart)
    enter(end, newEnd)
  }

  /** True if rows may enter and leave in any order, and enter again: the frame may have holes. */
  def anyOrder: Boolean = false

  /** True if the accumulator reads rows of the frame after they have entered. */
  def readsFrame: Boolean = true

  /** Releases the memory of the accumulator itself, not of its columns. */
  def close(): Unit = ()
}

/**
 * An accumulator whose result depends only on the values of its rows, not on their order or
 * positions.
 */
trait OrderInsensitive extends Accumulator {
  final override def anyOrder: Boolean = true

  final override def readsFrame: Boolean = false
}

/**
 * The accumulator of a frame in several pieces. It reads the accumulators of the pieces, which the
 * motion drives; the motion does not drive the combiner itself.
 */
trait PieceCombiner extends Accumulator {
  final override def clear(): Unit = throw notDriven

  final override def enter(from: Long, until: Long): Unit = throw notDriven

  final override def leave(from: Long, until: Long): Unit = throw notDriven

  private def notDriven = new UnsupportedOperationException("its pieces are driven")
}

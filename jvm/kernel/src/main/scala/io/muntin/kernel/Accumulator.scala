package io.muntin.kernel

/**
 * The running aggregate of the rows in a frame. A motion calls `enter` and `leave` with positions
 * of rows; the accumulator reads the rows' values from its columns.
 *
 * The rows of a frame are the positions from the oldest row that has not left until the newest row
 * that has entered; both ends only move forward. The result of an accumulator depends on these rows
 * (exact groups, extremes, positions), or on these rows and the row that blocks begin with (merge
 * only). It never depends on the calls by which the rows came to be there: so a restart, or another
 * split of the work, gives the same bits.
 *
 * Each accumulator has a result of its own kind (`ExactSum.sum`, `Pick.position`), which the
 * function that has made the accumulator reads.
 */
abstract class Accumulator {

  /** All rows leave the frame. Keeps the memory. */
  def clear(): Unit

  /** The rows from `from` until `until` enter; they follow the newest row that is in the frame. */
  def enter(from: Long, until: Long): Unit

  /**
   * The rows from `from` until `until`, the oldest in the frame, leave. Never called where the
   * frame only grows.
   */
  def leave(from: Long, until: Long): Unit

  /**
   * The oldest rows, from `start` until `newStart`, leave, and those from `end` until `newEnd`
   * enter; some rows stay. Overridden where one value is put in the place of another, and, by the
   * same two calls, in accumulators that many queries have: in a class of its own Java knows which
   * methods these are.
   */
  def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    leave(start, newStart)
    enter(end, newEnd)
  }

  /**
   * Whether rows may enter and leave in any order, and enter again: the frame may have holes.
   */
  def anyOrder: Boolean = false

  /** Whether the accumulator reads rows of the frame after they have entered. */
  def readsFrame: Boolean = true

  /** Gives back the memory of the accumulator itself; its columns belong to others. */
  def close(): Unit = ()
}

/** An accumulator to which the values of its rows are all: not their order, nor their places. */
trait OrderInsensitive extends Accumulator {
  final override def anyOrder: Boolean = true

  final override def readsFrame: Boolean = false
}

/**
 * The accumulator of a frame in several pieces: it reads the accumulators of the pieces, which the
 * motion drives, and is not driven itself.
 */
trait PieceCombiner extends Accumulator {
  final override def clear(): Unit = throw notDriven

  final override def enter(from: Long, until: Long): Unit = throw notDriven

  final override def leave(from: Long, until: Long): Unit = throw notDriven

  private def notDriven = new UnsupportedOperationException("its pieces are driven")
}

package io.muntin.kernel

/**
 * The running aggregate of the rows in a frame. A motion tells it which rows enter and which leave,
 * by position; it reads their values from its columns. It does not know why they come and go.
 *
 * The rows of a frame are the positions from the oldest that has not left until the newest that has
 * entered; both ends only move forward. What an accumulator answers is a function of those rows
 * (exact groups, extremes, positions) or of those rows and the positions of aligned blocks (merge
 * only), never of how they came to be there: so a restart, or another split of the work, gives the
 * same bits.
 *
 * Each accumulator answers in its own terms (`ExactSum.sum`, `Pick.position`); whoever asks knows
 * which one it made.
 */
trait Accumulator {

  /** No row is in the frame. Keeps the memory. */
  def clear(): Unit

  /** The rows from `from` until `until` enter; they follow the newest row that is in the frame. */
  def enter(from: Long, until: Long): Unit

  /**
   * The rows from `from` until `until`, the oldest in the frame, leave. Never called where the
   * frame only grows.
   */
  def leave(from: Long, until: Long): Unit

  /**
   * Whether rows may come in any order, go in any order, and come again: the frame may have holes.
   */
  def anyOrder: Boolean = false

  /** Whether it looks at rows of the frame between their coming and their going. */
  def readsFrame: Boolean = true

  /** Gives back the memory that it took itself (its columns are not its own). */
  def close(): Unit = ()
}

/** An accumulator to which the values of its rows are all: not their order, nor their places. */
trait OfValues extends Accumulator {
  final override def anyOrder: Boolean = true

  final override def readsFrame: Boolean = false
}

/**
 * An accumulator that takes a row in the place of another for less than it lets one go and enters
 * the other.
 */
trait Replacing extends Accumulator {

  /**
   * The oldest rows, from `start` until `newStart`, leave, and those from `end` until `newEnd`
   * enter.
   */
  def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit
}

/**
 * An accumulator that answers for a frame in several pieces from others, one for each piece. They
 * are driven; it only asks them.
 */
trait OfPieces extends Accumulator {
  final override def clear(): Unit = throw notDriven

  final override def enter(from: Long, until: Long): Unit = throw notDriven

  final override def leave(from: Long, until: Long): Unit = throw notDriven

  private def notDriven = new UnsupportedOperationException("its pieces are driven")
}

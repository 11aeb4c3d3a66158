package io.muntin.kernel

/**
 * The motion of a standard frame: for each row of a partition, in order, which rows enter and which
 * leave. Holds for every pair of edges: sliding, growing, shrinking, whole, off to one side, empty.
 *
 * A row's frame can be told when its upper edge is settled: at once where the frame looks back, when
 * the rows that it looks forward to have arrived, or when the partition has ended.
 *
 * Cost per row: two edges sought, each amortised one step. Guarded by FrameMotionSuite, against
 * frames found by definition.
 */
final class FrameMotion(lower: Edge, upper: Edge) extends Column.Reader {
  private var accumulators: Array[Accumulator] = Array.empty

  /** Rows leave: accumulators of this motion must be able to let them go. */
  val evicts: Boolean = lower ne UnboundedStart

  /** Every row's frame can be told as soon as the row is there. */
  val isImmediate: Boolean = upper.isImmediate

  /** Rows can be entered as they arrive, since every frame of the partition has its last row. */
  private val eager: Boolean = upper eq UnboundedEnd

  private var lo = 0L
  private var hi = 0L
  private var found = 0L
  private var current = -1L

  /** The first row in the frame of the current row. */
  def start: Long = lo

  /** The position after the last row in the frame of the current row. */
  def end: Long = hi

  /** From now on `accumulator` is told which rows enter and leave. */
  def drive(accumulator: Accumulator): Unit = accumulators = accumulators :+ accumulator

  /** Rows before this one are needed no more by this frame. */
  override def floor: Long = {
    val oldest = if (evicts) lo else hi
    if (lower.readsKeys || upper.readsKeys) math.min(oldest, math.max(current, 0L)) else oldest
  }

  def startPartition(): Unit = {
    lo = 0L
    hi = 0L
    found = 0L
    current = -1L
    lower.startPartition()
    upper.startPartition()
    clear()
  }

  /** The rows before `arrived` are there. */
  def arrive(arrived: Long): Unit =
    if (eager && hi < arrived) {
      enter(hi, arrived)
      hi = arrived
      found = arrived
    }

  /** Whether the frame of `row` can be told; `ended` says that no more rows will arrive. */
  def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = {
    found = upper.seek(found, row, arrived)
    ended || !upper.isOpen(found, row, arrived)
  }

  /** Moves the frame to `row`, for which it is ready; whether it holds other rows than before. */
  def advance(row: Long): Boolean = {
    val newLo = math.min(lower.seek(lo, row, found), found)
    val changed = newLo != lo || found != hi || row == 0L
    if (newLo >= hi) {
      if (hi > lo) clear()
      enter(newLo, found)
    } else {
      if (newLo > lo) leave(lo, newLo)
      if (found > hi) enter(hi, found)
    }
    lo = newLo
    hi = found
    current = row
    changed
  }

  def close(): Unit = accumulators.foreach(_.close())

  private def clear(): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).clear()
      i += 1
    }
  }

  private def enter(from: Long, until: Long): Unit = if (from < until) {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).enter(from, until)
      i += 1
    }
  }

  private def leave(from: Long, until: Long): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).leave(from, until)
      i += 1
    }
  }
}

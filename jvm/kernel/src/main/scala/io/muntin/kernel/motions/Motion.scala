package io.muntin.kernel.motions

import io.muntin.kernel.{Accumulator, BlockAligned, Followed, NonMonotonic}
import io.muntin.kernel.columns.Column

/**
 * The rule that determines the rows of each window, and when a window is ready. A motion calls its
 * accumulators for each row that enters or leaves, and knows nothing of what they compute.
 *
 * For each partition the caller calls `startPartition`; then `arrive`, as rows arrive in order; and
 * after each `arrive` the methods of RowMotion or of GroupMotion that find the windows.
 */
abstract class Motion extends Column.Reader {
  private var accumulators: Array[Accumulator] = Array.empty
  private var blocks: Array[BlockAligned] = Array.empty
  private var leaping: Array[NonMonotonic] = Array.empty

  /** From now on the motion calls `accumulator` for each row that enters or leaves. */
  final def drive(accumulator: Accumulator): Unit = {
    accumulators = accumulators :+ accumulator
    accumulator match {
      case aligned: BlockAligned => blocks = blocks :+ aligned
      case _ => ()
    }
    accumulator match {
      case one: NonMonotonic => leaping = leaping :+ one
      case _ => ()
    }
  }

  /** Whether rows leave: the accumulators of the motion must be able to take rows out. */
  def evicts: Boolean

  /** Whether windows lie anywhere: the accumulators of the motion must be `NonMonotonic`. */
  def isNonMonotonic: Boolean = false

  /** The first row in the current window. */
  def start: Long

  /** The position after the last row in the current window. */
  def end: Long

  /** How many rows are in every window of the partition, behind all that arrive. */
  def following: Long = 0L

  /** How many rows are in the current window. */
  def size: Long = end - start + following

  def startPartition(): Unit

  /** The rows before `arrived` are there. */
  def arrive(arrived: Long): Unit

  /** The accumulators that the motion drives, in the order in which they were made. */
  final def driven: Seq[Accumulator] = accumulators.toSeq

  protected final def readsFrame: Boolean = accumulators.exists(_.readsFrame)

  /** Gives back the memory of the motion and of its accumulators. */
  def close(): Unit = accumulators.foreach(_.close())

  protected final def clear(): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).clear()
      i += 1
    }
  }

  /** Whether the motion drives accumulators that merge blocks. */
  protected final def hasBlocks: Boolean = blocks.length > 0

  /** Blocks begin at the row `origin`. */
  protected final def align(origin: Long): Unit = {
    var i = 0
    while (i < blocks.length) {
      blocks(i).align(origin)
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

  /** The rows until `newStart` leave, and those from `end` on enter. */
  protected final def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).slide(start, newStart, end, newEnd)
      i += 1
    }
  }

  /**
   * The window has these rows, wherever the window before lay: all accumulators are `NonMonotonic`.
   */
  protected final def evaluate(from: Long, until: Long): Unit = {
    var i = 0
    while (i < leaping.length) {
      leaping(i).evaluate(from, until)
      i += 1
    }
  }

  /** The same accumulators let go of the rows before `first`. */
  protected final def evictFrom(first: Long): Unit = {
    var i = 0
    while (i < leaping.length) {
      leaping(i).evictBefore(first)
      i += 1
    }
  }

  /** Rows enter that lie behind all other rows of the partition, and never leave. */
  protected final def follow(from: Long, until: Long): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i) match {
        case followed: Followed => followed.follow(from, until)
        case other => other.enter(from, until)
      }
      i += 1
    }
  }
}

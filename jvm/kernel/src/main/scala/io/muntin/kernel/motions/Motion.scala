package io.muntin.kernel.motions

import io.muntin.kernel.{Accumulator, BlockAligned, Followed, NonMonotonic}
import io.muntin.kernel.columns.Column

/**
 * The rule that determines the rows of each window, and when a window is ready. A motion calls its
 * accumulators for each row that enters or leaves, and does not depend on what they compute.
 *
 * For each partition the caller calls `startPartition`; then `arrive`, as rows arrive in order; and
 * after each `arrive` the methods of RowMotion or of GroupMotion that find the windows.
 */
abstract class Motion extends Column.Reader {
  private var accumulators: Array[Accumulator] = Array.empty
  private var blocks: Array[BlockAligned] = Array.empty
  private var leaping: Array[NonMonotonic] = Array.empty

  /** Adds an accumulator, to be called for each row that enters or leaves. */
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

  /** True if rows leave: the accumulators of the motion must support removal. */
  def evicts: Boolean

  /** True if windows are in any order: the accumulators of the motion must be `NonMonotonic`. */
  def isNonMonotonic: Boolean = false

  /** The first row in the current window. */
  def start: Long

  /** The position after the last row in the current window. */
  def end: Long

  /** The number of rows in every window of the partition that are after all rows that arrive. */
  def following: Long = 0L

  /** The number of rows in the current window. */
  def size: Long = end - start + following

  def startPartition(): Unit

  /** Reports that the rows before `arrived` have arrived. */
  def arrive(arrived: Long): Unit

  /** The accumulators that the motion drives, in the order of their creation. */
  final def driven: Seq[Accumulator] = accumulators.toSeq

  protected final def readsFrame: Boolean = accumulators.exists(_.readsFrame)

  /** Releases the memory of the motion and of its accumulators. */
  def close(): Unit = accumulators.foreach(_.close())

  protected final def clear(): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).clear()
      i += 1
    }
  }

  /** True if the motion drives accumulators that merge blocks. */
  protected final def hasBlocks: Boolean = blocks.length > 0

  /** Sets the row at which blocks begin. */
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

  /** Removes the rows until `newStart`, and adds the rows from `end` on. */
  protected final def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).slide(start, newStart, end, newEnd)
      i += 1
    }
  }

  /**
   * Sets the window to these rows, independent of the previous window: all accumulators are
   * `NonMonotonic`.
   */
  protected final def evaluate(from: Long, until: Long): Unit = {
    var i = 0
    while (i < leaping.length) {
      leaping(i).evaluate(from, until)
      i += 1
    }
  }

  /** Makes the `NonMonotonic` accumulators forget the rows before `first`. */
  protected final def evictFrom(first: Long): Unit = {
    var i = 0
    while (i < leaping.length) {
      leaping(i).evictBefore(first)
      i += 1
    }
  }

  /** Adds rows that are after all other rows of the partition, and never leave. */
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

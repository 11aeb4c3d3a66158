package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Runs frames over a partition if all of its rows arrive, in order. A batch needs only this:
 *
 *     startPartition   arrive(r0)   arrive(r1)   isReady: advance -> r0   …
 *     isReady(ended): advance -> rn
 *
 * If `isLastPeer(next)` is true after r1, and no frame extends beyond the peers of its row,
 * isReady(ended) may be called for r1 before the next row arrives.
 */
trait WholePartitions {

  /** Starts a partition. */
  def startPartition(): Unit

  def arrive(row: UnsafeRow): Unit

  /** Returns how many rows have arrived. */
  def arrived: Long

  /** Returns true if no peer follows the last row, in any frame's order: `next` arrives next. */
  def isLastPeer(next: UnsafeRow): Boolean

  /** Returns true if a row has arrived whose results are not written yet. */
  def hasPending: Boolean

  /**
   * Returns true if the results of the oldest pending row are ready; `ended`: all rows of its
   * frames have arrived.
   */
  def isReady(ended: Boolean): Boolean

  /** Writes the results of the oldest pending row, which are ready. */
  def advance(target: InternalRow): Unit

  /** Releases the memory; the kernel is not used again. */
  def close(): Unit
}

package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Frames over a partition all of whose rows arrive, in order. A batch needs no more than this:
 *
 *     startPartition   arrive(r0)   arrive(r1)   isReady: advance -> r0   …
 *     isReady(ended): advance -> rn
 *
 * Where `isLastPeer(next)` says that r1 has no peer behind it, and no frame goes on behind the
 * peers of its row, isReady(ended) may be asked for r1 before the next row arrives.
 */
trait WholePartitions {

  /** A partition begins. */
  def startPartition(): Unit

  def arrive(row: UnsafeRow): Unit

  /** How many rows have arrived. */
  def arrived: Long

  /** Whether the last row has no peers behind it, in any frame's order: `next` arrives next. */
  def isLastPeer(next: UnsafeRow): Boolean

  /** Whether a row has arrived whose results are not written yet. */
  def hasPending: Boolean

  /**
   * Whether the results of the oldest pending row are ready; `ended` says that no row of its frames
   * will arrive any more.
   */
  def isReady(ended: Boolean): Boolean

  /** Writes the results of the oldest pending row, which are ready. */
  def advance(target: InternalRow): Unit

  /** Gives the memory back; the kernel is not used again. */
  def close(): Unit
}

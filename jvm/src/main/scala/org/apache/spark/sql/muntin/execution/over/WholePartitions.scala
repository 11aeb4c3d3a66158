package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Frames over a partition all of whose rows arrive, in order. A batch needs no more than this:
 *
 *     startPartition   arrive(r0)   arrive(r1)   isReady: advance -> r0   …
 *     isReady(ended): advance -> rn
 */
trait WholePartitions {

  /** A partition begins. */
  def startPartition(): Unit

  def arrive(row: UnsafeRow): Unit

  /** How many rows have arrived. */
  def arrived: Long

  /** Whether a row has arrived whose results are not written yet. */
  def hasPending: Boolean

  /**
   * Whether the results of the oldest pending row are ready; `ended` says that no more rows will
   * arrive.
   */
  def isReady(ended: Boolean): Boolean

  /** Writes the results of the oldest pending row, which are ready. */
  def advance(target: InternalRow): Unit

  /** Gives the memory back; the kernel is not used again. */
  def close(): Unit
}

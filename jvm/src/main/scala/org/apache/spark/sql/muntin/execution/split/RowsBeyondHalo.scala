package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Counts the rows of a chunk's partition beyond the chunk's halo, on one side. They arrive in any
 * order, each time that the task reads the partition. A frame that holds them (its `taker`)
 * receives them in one of these passes: the first in which the end of the halo is known.
 *
 *     pass 1   the halo may begin at 30   10 and 20 pass: they are counted, and not sent on
 *     pass 2   it must begin at 20        10 passes: the halo is known when all rows have arrived
 *     pass 3                              10 passes, and is sent to the taker
 */
private[split] final class RowsBeyondHalo {
  private var taker: UnsafeRow => Unit = _
  private var isDone = false
  private var sends = false
  private var rows = 0L

  /** Sends later rows to `taker` if `isKnown`: if the end of the halo is known. */
  def sendTo(taker: UnsafeRow => Unit, isKnown: Boolean): Unit = {
    this.taker = taker
    sends = isKnown
  }

  /** Returns true if there is a taker. */
  def hasTaker: Boolean = taker != null

  /** Returns how many rows have arrived. */
  def count: Long = rows

  def pass(row: InternalRow): Unit = {
    rows += 1L
    if (sends) taker(row.asInstanceOf[UnsafeRow])
  }

  /**
   * Ends a pass, after all rows have arrived. Returns true if another pass is necessary for the
   * taker. `isKnown`: the end of the halo is known by now.
   */
  def sendsInNextPass(isKnown: Boolean): Boolean = {
    isDone ||= sends
    sends = isKnown && hasTaker && !isDone && rows > 0L
    sends
  }

  /** Resets the count: the rows arrive again. */
  def resetCount(): Unit = rows = 0L
}

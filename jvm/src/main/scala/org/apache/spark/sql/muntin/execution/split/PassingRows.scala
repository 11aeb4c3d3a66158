package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a chunk's partition that lie beyond the chunk's halo, on one side. They pass by in
 * any order, each time that the task reads the partition. A frame that holds them (its `taker`)
 * gets them in one of these passes: the first in which the end of the halo is known.
 *
 *     pass 1   the halo may begin at 30   10 and 20 pass: they are counted, and not handed on
 *     pass 2   it has to begin at 20      10 passes: the halo is known when all rows have come
 *     pass 3                              10 passes, and goes to the taker
 */
private[split] final class PassingRows {
  private var taker: UnsafeRow => Unit = _
  private var isDone = false
  private var hands = false
  private var rows = 0L

  /** From now on rows that pass go to `taker`, if `isKnown`: if it is known where the halo ends. */
  def handTo(taker: UnsafeRow => Unit, isKnown: Boolean): Unit = {
    this.taker = taker
    hands = isKnown
  }

  /** Whether there is a taker. */
  def hasTaker: Boolean = taker != null

  /** How many rows have passed by. */
  def count: Long = rows

  def pass(row: InternalRow): Unit = {
    rows += 1L
    if (hands) taker(row.asInstanceOf[UnsafeRow])
  }

  /**
   * To be called when all rows have passed by: whether they have to pass by once more, for the
   * taker. `isKnown`: it is known by now where the halo ends.
   */
  def handsNext(isKnown: Boolean): Boolean = {
    isDone ||= hands
    hands = isKnown && hasTaker && !isDone && rows > 0L
    hands
  }

  /** Rows are counted anew: they pass by once more. */
  def passAgain(): Unit = rows = 0L
}

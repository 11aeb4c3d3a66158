package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * What of a partition lies on one side of a chunk, beyond its halo. It passes by in any order, as
 * often as the rows are read; who has asked for it gets it once.
 */
private[split] final class Beyond {
  private var to: UnsafeRow => Unit = _
  private var isGiven = false
  private var gives = false
  private var rows = 0L

  /** `isKnown`: where the halo ends. */
  def give(to: UnsafeRow => Unit, isKnown: Boolean): Unit = {
    this.to = to
    gives = isKnown
  }

  def isAsked: Boolean = to != null

  /** How many rows have passed by. */
  def count: Long = rows

  def pass(row: InternalRow): Unit = {
    rows += 1L
    if (gives) to(row.asInstanceOf[UnsafeRow])
  }

  /**
   * All rows have passed by. Whether they have to once more, for who has asked; `isKnown`: where
   * the halo ends.
   */
  def givesNext(isKnown: Boolean): Boolean = {
    isGiven ||= gives
    gives = isKnown && isAsked && !isGiven && rows > 0L
    gives
  }

  /** They pass by once more. */
  def passAgain(): Unit = rows = 0L
}

package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.InternalRow

/**
 * Rows that can have room for results behind their columns: who has results for each row writes
 * them there, and makes no other row.
 *
 *     rows          a 1         b 2
 *     with room     a 1 _ _     b 2 _ _
 */
trait LeavesRoom {

  /**
   * Whether the rows have so many fields more, which are not null, and have any value. Asked before
   * the first row is read.
   */
  def leaveRoom(fields: Int): Boolean
}

object LeavesRoom {

  /** Asks the rows for room, if they can have it; whether they have so many fields more. */
  def in(rows: Iterator[InternalRow], fields: Int): Boolean = rows match {
    case some: LeavesRoom => some.leaveRoom(fields)
    case _ => false
  }
}

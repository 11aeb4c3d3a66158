package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{LeavesRoom, LooksAhead}

/**
 * Rows that are opened when the first row is asked for, or room behind the rows. They leave room
 * and can be looked at ahead where the opened rows do.
 *
 * Guarded by DeferredRowsSuite.
 */
private[split] final class DeferredRows(open: () => Iterator[InternalRow])
    extends Iterator[InternalRow]
    with LeavesRoom
    with LooksAhead {
  private var opened: Iterator[InternalRow] = _
  private var lookingAhead = LooksAhead.Never

  private def rows: Iterator[InternalRow] = {
    if (opened == null) {
      opened = open()
      lookingAhead = LooksAhead.in(opened)
    }
    opened
  }

  override def leaveRoom(fields: Int): Boolean = LeavesRoom.in(rows, fields)

  override def ahead: UnsafeRow = lookingAhead.ahead

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = rows.next()
}

package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.catalyst.expressions.FrameLessOffsetWindowFunction

/**
 * The row that lead and lag select: `shift` rows after the current row, or before it if `shift` is
 * negative. With `ignoreNulls` only rows whose value is not null count.
 */
final case class ShiftedRow(shift: Int, ignoreNulls: Boolean) {

  /** Returns the row's number in the frame of lead and lag. */
  def nth: Int = if (ignoreNulls) shift else 1
}

object ShiftedRow {
  def of(function: FrameLessOffsetWindowFunction): Option[ShiftedRow] = function.offset match {
    case IntegerValue(0) => Some(ShiftedRow(0, ignoreNulls = false))
    case IntegerValue(shift) => Some(ShiftedRow(shift, function.ignoreNulls))
    case _ => None
  }
}

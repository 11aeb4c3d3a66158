package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows of which the next row can be looked at before it is read. */
trait LooksAhead {

  /** The row that is read next, if it is at hand; else null. Valid until it is read. */
  def ahead: UnsafeRow
}

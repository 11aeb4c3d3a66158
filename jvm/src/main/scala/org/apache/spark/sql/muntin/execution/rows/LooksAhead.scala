package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows of which the next row can be looked at before it is read. */
trait LooksAhead {

  /** The row that is read next, if it is at hand; else null. Valid until it is read. */
  def ahead: UnsafeRow
}

object LooksAhead {

  /** No next row is at hand. */
  val Never: LooksAhead = new LooksAhead { override def ahead: UnsafeRow = null }

  /** The rows, if they can be looked at ahead; else never. */
  def in(rows: Iterator[InternalRow]): LooksAhead = rows match {
    case some: LooksAhead => some
    case _ => Never
  }
}

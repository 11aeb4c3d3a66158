package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows whose next row can be peeked at before it is read. */
trait PeekableRows {

  /** Returns the row that is read next, valid until it is read; null if it is not available yet. */
  def peek: UnsafeRow
}

object PeekableRows {

  /** The next row is never available. */
  val Never: PeekableRows = new PeekableRows { override def peek: UnsafeRow = null }

  /** Returns `rows` if they are peekable, else `Never`. */
  def of(rows: Iterator[InternalRow]): PeekableRows = rows match {
    case some: PeekableRows => some
    case _ => Never
  }
}

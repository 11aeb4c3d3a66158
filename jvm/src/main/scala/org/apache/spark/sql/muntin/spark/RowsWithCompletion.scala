package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.CompletionIterator

/** Calls a function once, when the end of the rows has been reached. */
object RowsWithCompletion {
  def apply(rows: Iterator[InternalRow])(last: => Unit): Iterator[InternalRow] =
    CompletionIterator[InternalRow, Iterator[InternalRow]](rows, last)
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.CompletionIterator

/** Rows, and what is done once when somebody has found that there are no more. */
object RowsWithCompletion {
  def apply(rows: Iterator[InternalRow])(last: => Unit): Iterator[InternalRow] =
    CompletionIterator[InternalRow, Iterator[InternalRow]](rows, last)
}

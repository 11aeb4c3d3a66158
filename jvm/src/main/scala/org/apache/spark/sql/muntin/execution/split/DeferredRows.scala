package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.PeekableRows

/**
 * Opens rows when the first row is requested. They are peekable if the opened rows are.
 *
 * Guarded by DeferredRowsSuite.
 */
private[split] final class DeferredRows(open: () => Iterator[InternalRow])
    extends Iterator[InternalRow]
    with PeekableRows {
  private var opened: Iterator[InternalRow] = _
  private var peekable = PeekableRows.Never

  private def rows: Iterator[InternalRow] = {
    if (opened == null) {
      opened = open()
      peekable = PeekableRows.of(opened)
    }
    opened
  }

  override def peek: UnsafeRow = peekable.peek

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = rows.next()
}

package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow

/**
 * One after the other, some opened ahead of time, since each begins to fetch what it reads when it
 * is opened.
 */
private[split] final class RowsOfMappers(readers: Iterator[Iterator[InternalRow]])
    extends Iterator[InternalRow] {
  private val opened = mutable.Queue.empty[Iterator[InternalRow]]
  private var rows: Iterator[InternalRow] = Iterator.empty
  open()

  override def hasNext: Boolean = {
    while (!rows.hasNext && opened.nonEmpty) {
      rows = opened.dequeue()
      open()
    }
    rows.hasNext
  }

  private def open(): Unit =
    while (opened.size < RowsOfMappers.Ahead && readers.hasNext) opened += readers.next()

  override def next(): InternalRow = rows.next()
}

private[split] object RowsOfMappers {
  private val Ahead = 4
}

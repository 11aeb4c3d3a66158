package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The rows of several readers, reader by reader. Some readers are opened ahead of time, since a
 * reader begins to fetch when it is opened.
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

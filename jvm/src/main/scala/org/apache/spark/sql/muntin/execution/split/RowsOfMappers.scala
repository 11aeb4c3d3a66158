package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

/**
 * The rows of several readers, reader by reader. Some readers are opened ahead of time, since a
 * reader begins to fetch when it is opened.
 */
private[split] final class RowsOfMappers[A](readers: Iterator[Iterator[A]])
    extends Iterator[A] {
  private val opened = mutable.Queue.empty[Iterator[A]]
  private var rows: Iterator[A] = Iterator.empty
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

  override def next(): A = rows.next()
}

private[split] object RowsOfMappers {
  private val Ahead = 4
}

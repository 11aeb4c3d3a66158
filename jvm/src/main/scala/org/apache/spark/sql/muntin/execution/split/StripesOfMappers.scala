package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.muntin.execution.exchange.Stripe

/**
 * Reads the stripes of several readers, reader by reader. Some readers are opened ahead of time,
 * since a reader begins to fetch when it is opened.
 */
private[split] final class StripesOfMappers(readers: Iterator[Iterator[Stripe]])
    extends Iterator[Stripe] {
  private val opened = mutable.Queue.empty[Iterator[Stripe]]
  private var stripes: Iterator[Stripe] = Iterator.empty
  open()

  override def hasNext: Boolean = {
    while (!stripes.hasNext && opened.nonEmpty) {
      stripes = opened.dequeue()
      open()
    }
    stripes.hasNext
  }

  private def open(): Unit =
    while (opened.size < StripesOfMappers.Ahead && readers.hasNext) opened += readers.next()

  override def next(): Stripe = stripes.next()
}

private[split] object StripesOfMappers {
  private val Ahead = 4
}

package org.apache.spark.sql.muntin.spark

import java.io.Closeable

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** Reads the pairs of a column family, in the order of its keys. */
private[spark] object StoredPairs {

  // Patches of Spark 4.0 declare different result types, which makes them different methods.
  private val iterator = classOf[StateStore].getMethod("iterator", classOf[String])

  /** Returns the pairs, valid until the task ends. */
  def all(store: StateStore, family: String): Iterator[UnsafeRowPair] = {
    val pairs = open(store, family)
    TaskContext.get().addTaskCompletionListener[Unit](_ => close(pairs))
    pairs
  }

  /** Passes the pairs to `next` until it returns false. */
  def visit(store: StateStore, family: String)(next: UnsafeRowPair => Boolean): Unit = {
    val pairs = open(store, family)
    try {
      var more = pairs.hasNext
      while (more) more = next(pairs.next()) && pairs.hasNext
    } finally close(pairs)
  }

  private def open(store: StateStore, family: String): Iterator[UnsafeRowPair] =
    iterator.invoke(store, family).asInstanceOf[Iterator[UnsafeRowPair]]

  private def close(pairs: Iterator[UnsafeRowPair]): Unit = pairs match {
    case open: Closeable => open.close()
    case _ => ()
  }
}

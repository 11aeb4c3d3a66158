package org.apache.spark.sql.muntin.spark

import java.io.Closeable

import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** Reads the pairs of a column family, in the order of its keys, until `next` returns false. */
private[spark] object StoredPairs {

  // Patches of Spark 4.0 declare different result types, which makes them different methods.
  private val iterator = classOf[StateStore].getMethod("iterator", classOf[String])

  def visit(store: StateStore, family: String)(next: UnsafeRowPair => Boolean): Unit = {
    val pairs = iterator.invoke(store, family).asInstanceOf[Iterator[UnsafeRowPair]]
    try {
      var more = pairs.hasNext
      while (more) more = next(pairs.next()) && pairs.hasNext
    } finally pairs match {
        case open: Closeable => open.close()
        case _ => ()
      }
  }
}

package org.apache.spark.sql.muntin.spark

import java.io.Closeable

import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** The pairs of a family of columns, in the order of its keys, as long as `next` asks for more. */
private[spark] object StoredPairs {

  // The patches of Spark 4.0 declare other results of it, which makes another method of each.
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

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** The pairs of a family of columns, in the order of its keys, as long as `next` asks for more. */
private[spark] object StoredPairs {
  def visit(store: StateStore, family: String)(next: UnsafeRowPair => Boolean): Unit = {
    val pairs = store.iterator(family)
    try {
      var more = pairs.hasNext
      while (more) more = next(pairs.next()) && pairs.hasNext
    } finally pairs.close()
  }
}

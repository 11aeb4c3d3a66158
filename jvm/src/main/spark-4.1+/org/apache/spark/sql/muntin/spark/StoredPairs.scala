package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** Reads the pairs of a column family, in the order of its keys, until `next` returns false. */
private[spark] object StoredPairs {
  def visit(store: StateStore, family: String)(next: UnsafeRowPair => Boolean): Unit = {
    val pairs = store.iterator(family)
    try {
      var more = pairs.hasNext
      while (more) more = next(pairs.next()) && pairs.hasNext
    } finally pairs.close()
  }
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** Reads the pairs of a column family, in the order of its keys. */
private[spark] object StoredPairs {

  /** Returns the pairs, valid until the task ends. */
  def all(store: StateStore, family: String): Iterator[UnsafeRowPair] = {
    val pairs = store.iterator(family)
    TaskContext.get().addTaskCompletionListener[Unit](_ => pairs.close())
    pairs
  }

  /** Passes the pairs to `next` until it returns false. */
  def visit(store: StateStore, family: String)(next: UnsafeRowPair => Boolean): Unit = {
    val pairs = store.iterator(family)
    try {
      var more = pairs.hasNext
      while (more) more = next(pairs.next()) && pairs.hasNext
    } finally pairs.close()
  }
}

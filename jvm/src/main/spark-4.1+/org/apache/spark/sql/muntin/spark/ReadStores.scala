package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, StateStoreThreadLocalTracker}

/**
 * An aggregation of Spark's reads its state by one operator and writes it by the next one. Since
 * Spark 4.1 it finds the store that was read by the thread. It stays there until the task ends, and
 * an operator above in the same task would take it for its own.
 */
object ReadStores {
  def forget(): Unit = StateStoreThreadLocalTracker.clearStore()

  /** Releases a store without writes. */
  def release(store: ReadStateStore): Unit = store.release()
}

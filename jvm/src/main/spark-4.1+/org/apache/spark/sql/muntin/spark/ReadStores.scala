package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, StateStoreThreadLocalTracker}

/**
 * Spark's aggregations read their state in one operator and write it in the next. Since Spark 4.1,
 * the second operator finds the store by thread. The store stays registered until the task ends,
 * and a downstream operator in the same task would use it as its own.
 */
object ReadStores {
  def forget(): Unit = StateStoreThreadLocalTracker.clearStore()

  /** Releases a store without writes. */
  def release(store: ReadStateStore): Unit = store.release()
}

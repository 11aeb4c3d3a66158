package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.streaming.state.ReadStateStore

/** The stores that a task has read: since 4.1, Spark tracks them by thread. */
object ReadStores {
  def forget(): Unit = ()

  /** Releases a store without writes. */
  def release(store: ReadStateStore): Unit = store.abort()
}

package org.apache.spark.sql.muntin.spark

/** The stores that a task has read: Spark keeps them by the thread since 4.1. */
object ReadStores {
  def forget(): Unit = ()
}

package org.apache.spark.sql.muntin.spark

/** Whether Spark itself takes an aggregate with FILTER in OVER. */
object FilterInOver {
  val isSparks: Boolean = true
}

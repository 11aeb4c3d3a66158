package org.apache.spark.sql.muntin.spark

/** True if Spark itself supports an aggregate with FILTER in OVER. */
object FilterInOver {
  val isSparks: Boolean = true
}

package org.apache.spark.sql.muntin.spark

/** Spark's own support for an aggregate with FILTER in OVER. */
object FilterInOver {
  val isSparks: Boolean = false
}

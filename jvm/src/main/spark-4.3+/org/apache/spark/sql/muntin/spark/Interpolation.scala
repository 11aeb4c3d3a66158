package org.apache.spark.sql.muntin.spark

/** The value between two neighbours in the order, of percentile. */
object Interpolation {

  /** `part` of the way from the lower to the higher, in Spark's own arithmetic. */
  def apply(lower: Double, higher: Double, part: Double): Double = lower + part * (higher - lower)
}

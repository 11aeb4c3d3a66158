package org.apache.spark.sql.muntin.spark

/** Interpolates between two neighbouring values, for percentile. */
object Interpolation {

  /**
   * Returns the value at `part` of the way from the lower to the higher value, in Spark's own
   * arithmetic.
   */
  def apply(lower: Double, higher: Double, part: Double): Double =
    (1.0 - part) * lower + part * higher
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.types.DataType

/**
 * True if collect_set and mode use the same equality as count(DISTINCT). Since Spark 4.2 they do,
 * also for 0.0 and -0.0, and for different NaN.
 */
object DistinctEquality {
  def areDistinct(dataType: DataType): Boolean = {
    require(dataType != null)
    true
  }
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.types.DataType

/**
 * The equality of collect_set and mode. Since Spark 4.2, it is count(DISTINCT)'s, also for 0.0 and
 * -0.0, and for different NaN.
 */
object DistinctEquality {
  def areDistinct(dataType: DataType): Boolean = {
    require(dataType != null)
    true
  }
}

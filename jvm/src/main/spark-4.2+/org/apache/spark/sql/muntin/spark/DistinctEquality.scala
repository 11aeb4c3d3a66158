package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.types.DataType

/**
 * Whether collect_set and mode take those values for equal that count(DISTINCT) takes for equal.
 * Since Spark 4.2 they do, also 0.0 and -0.0, and one NaN and another.
 */
object DistinctEquality {
  def areDistinct(dataType: DataType): Boolean = {
    require(dataType != null)
    true
  }
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

/**
 * The equality of collect_set and mode. Before Spark 4.2, it differs from count(DISTINCT)'s: two
 * NaN are two elements of a set, and 0.0 and -0.0 are counted separately.
 */
object DistinctEquality {
  def areDistinct(dataType: DataType): Boolean = !dataType.existsRecursively {
    case FloatType | DoubleType => true
    case _ => false
  }
}

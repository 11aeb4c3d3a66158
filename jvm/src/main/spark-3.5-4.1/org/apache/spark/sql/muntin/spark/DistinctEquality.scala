package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

/**
 * Whether collect_set and mode take those values for equal that count(DISTINCT) takes for equal.
 * Before Spark 4.2 two NaN are two elements of a set, and 0.0 and -0.0 are counted by themselves.
 */
object DistinctEquality {
  def areDistinct(dataType: DataType): Boolean = !dataType.existsRecursively {
    case FloatType | DoubleType => true
    case _ => false
  }
}

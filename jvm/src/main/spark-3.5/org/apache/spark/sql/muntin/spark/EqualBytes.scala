package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

/** Bytes that are equal if values are equal: before Spark 4.0 strings do not have collations. */
object EqualBytes {

  /** Whether values of the type are equal where their bytes are. */
  def areIn(dataType: DataType): Boolean = {
    require(dataType != null)
    true
  }

  /** In the place of a value, one that has the same bytes for all values equal to it. */
  def apply(value: Expression): Expression = value
}

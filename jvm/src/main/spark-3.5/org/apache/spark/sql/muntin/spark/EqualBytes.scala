package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

/** Bytes that are equal if values are equal: before Spark 4.0 strings do not have collations. */
object EqualBytes {

  /** Returns true if values of the type are equal if and only if their bytes are. */
  def areIn(dataType: DataType): Boolean = {
    require(dataType != null)
    true
  }

  /** Returns a value with the same bytes for all equal values. */
  def apply(value: Expression): Expression = value
}

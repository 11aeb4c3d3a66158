package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.DataType

/** Bytes that are equal if values are equal: strings that are equal in a collation may differ. */
object EqualBytes {

  /** Whether values of the type are equal where their bytes are. */
  def areIn(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  /** In the place of a value, one that has the same bytes for all values equal to it. */
  def apply(value: Expression): Expression = CollationKey.injectCollationKey(value)
}

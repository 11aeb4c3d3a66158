package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.DataType

/** Bytes that are equal if values are equal: strings that are equal in a collation may differ. */
object EqualBytes {

  /** Returns true if values of the type are equal if and only if their bytes are. */
  def areIn(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  /** Returns a value with the same bytes for all equal values. */
  def apply(value: Expression): Expression = CollationKey.injectCollationKey(value)
}

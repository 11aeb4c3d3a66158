package org.apache.spark.sql.muntin.spark

import java.util.function.ToLongFunction

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  GenericInternalRow,
  XxHash64,
  XxHash64Function
}
import org.apache.spark.sql.types.{DataType, VariantType}

/**
 * Spark's hash of values: equal for values that are equal in their collation. Patches of Spark 4.0
 * differ in the hash of strings with a collation, so it is the hash of other bytes.
 */
object ValueHash {
  private val seed = 42L

  /** Returns true if approx_count_distinct counts values of the type by `expression`. */
  def supports(dataType: DataType): Boolean =
    EqualBytes.areIn(dataType) && !dataType.existsRecursively(_.isInstanceOf[VariantType])

  /** Returns the hash that approx_count_distinct counts. */
  def expression(value: Expression): Expression = XxHash64(Seq(value), seed)

  /** Returns the hash of values of the type. */
  def of(dataType: DataType): ToLongFunction[AnyRef] =
    if (EqualBytes.areIn(dataType)) value => XxHash64Function.hash(value, dataType, seed)
    else {
      val bytes = EqualBytes(BoundReference(0, dataType, nullable = false))
      val row = new GenericInternalRow(1)
      value => {
        row.update(0, value)
        XxHash64Function.hash(bytes.eval(row), bytes.dataType, seed)
      }
    }
}

package org.apache.spark.sql.muntin.spark

import java.util.function.ToLongFunction

import org.apache.spark.sql.catalyst.expressions.{
  CollationAwareXxHash64,
  Expression,
  XxHash64Function
}
import org.apache.spark.sql.types.{DataType, VariantType}

/** Spark's hash of values: equal for values that are equal in their collation. */
object ValueHash {
  private val seed = 42L

  /** Returns true if approx_count_distinct counts values of the type by `expression`. */
  def supports(dataType: DataType): Boolean =
    !dataType.existsRecursively(_.isInstanceOf[VariantType])

  /** Returns the hash that approx_count_distinct counts. */
  def expression(value: Expression): Expression = CollationAwareXxHash64(Seq(value), seed)

  /** Returns the hash of values of the type. */
  def of(dataType: DataType): ToLongFunction[AnyRef] = value =>
    XxHash64Function.hash(
      value,
      dataType,
      seed,
      isCollationAware = true,
      legacyCollationAwareHashing = false
    )
}

package org.apache.spark.sql.muntin.spark

import java.util.function.ToLongFunction

import org.apache.spark.sql.catalyst.expressions.{Expression, XxHash64, XxHash64Function}
import org.apache.spark.sql.types.DataType

/** Spark's hash of values. */
object ValueHash {
  private val seed = 42L

  /** Whether approx_count_distinct counts values of the type by `expression`. */
  def supports(dataType: DataType): Boolean = EqualBytes.areIn(dataType)

  /** The hash by which approx_count_distinct counts. */
  def expression(value: Expression): Expression = XxHash64(Seq(value), seed)

  /** The hash of values of the type. */
  def of(dataType: DataType): ToLongFunction[AnyRef] =
    value => XxHash64Function.hash(value, dataType, seed)
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types.IntegerType

/**
 * Computes ntile: the row's bucket, from 1. Bucket sizes differ by at most one; the first buckets
 * are the larger ones.
 */
private[plans] object Buckets {

  /**
   * Returns the bucket, from the number of rows before the row, of all rows, and of buckets, all
   * LONG. Null if there are no rows.
   */
  def apply(before: Expression, rows: Expression, buckets: Expression): Expression = {
    val size = IntegralDivide(rows, buckets)
    val larger = Remainder(rows, buckets)
    val inLarger = Multiply(larger, Add(size, Literal(1L)))
    val bucket = If(
      LessThan(before, inLarger),
      IntegralDivide(before, Add(size, Literal(1L))),
      Add(larger, IntegralDivide(Arithmetic.difference(before, inLarger), size))
    )
    If(
      EqualTo(rows, Literal(0L)),
      Literal(null, IntegerType),
      Cast(Add(bucket, Literal(1L)), IntegerType)
    )
  }
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types.IntegerType

/** ntile: the bucket of a row, from 1, of buckets of equal size but for one more in the first. */
private[plans] object Buckets {

  /**
   * All are numbers of the type LONG: the rows before the row, all rows, and the buckets. Null
   * where there are no rows.
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

package org.apache.spark.sql.muntin.partials

import io.muntin.kernel.sums.ChunkSum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.TernaryLike
import org.apache.spark.sql.types.{BinaryType, DataType, DoubleType}

/**
 * A stored sum of doubles in three columns: in `high`, if one double equals the sum exactly, as for
 * one row; in `high` and `low`, if the sum of two doubles does, as for rows of similar magnitude;
 * else in `bytes`. Doubles are moved and added faster than bytes.
 *
 *     rows of a pane       high     low               bytes
 *     1.5                  1.5      null              null
 *     0.1, 0.2             0.3…     the rest     null
 *     1e200, 1.0, 1e-200   null     null              the bytes of the exact sum
 *
 * Guarded by ShortSumSuite.
 */
final case class ShortSum(high: Expression, low: Expression, bytes: Expression)
    extends Expression
    with TernaryLike[Expression]
    with CodegenFallback {
  override def first: Expression = high

  override def second: Expression = low

  override def third: Expression = bytes

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = true

  override def eval(row: InternalRow): Any = {
    val nearest = high.eval(row)
    if (nearest == null) bytes.eval(row)
    else {
      val sum = ChunkSum(ShortSum.Kind)
      sum.add(nearest.asInstanceOf[Double])
      val rest = low.eval(row)
      if (rest != null) sum.add(rest.asInstanceOf[Double])
      sum.toBytes
    }
  }

  override protected def withNewChildrenInternal(
      first: Expression,
      second: Expression,
      third: Expression
  ): ShortSum = copy(first, second, third)
}

object ShortSum {

  /** The kind of such a sum. */
  val Kind: ChunkSum.Kind = ChunkSum.FloatingPoint(1)

  /** The columns that hold it. */
  val types: Seq[DataType] = Seq(DoubleType, DoubleType, BinaryType)

  /** Writes a sum to the fields from `ordinal` on. */
  def write(sum: ChunkSum, target: InternalRow, ordinal: Int): Unit = {
    val nearest = sum.sum
    val rest = if (java.lang.Double.isFinite(nearest)) restOf(sum, nearest) else Double.NaN
    if (java.lang.Double.isNaN(rest)) {
      target.setNullAt(ordinal)
      target.setNullAt(ordinal + 1)
      target.update(ordinal + 2, sum.toBytes)
    } else {
      target.setDouble(ordinal, nearest)
      if (rest == 0.0) target.setNullAt(ordinal + 1) else target.setDouble(ordinal + 1, rest)
      target.setNullAt(ordinal + 2)
    }
  }

  // Subtracts the value and adds it again: the sum does not change.
  private def restOf(sum: ChunkSum, nearest: Double): Double = {
    sum.subtract(nearest)
    val rest = sum.exactDouble
    sum.add(nearest)
    rest
  }
}

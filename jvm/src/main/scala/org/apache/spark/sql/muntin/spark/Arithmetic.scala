package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum

/** Arithmetic whose overflow is not for the session's settings to say. */
object Arithmetic {
  private val unchecked = Overflow(EvalMode.LEGACY)
  private val orNull = Overflow(EvalMode.TRY)

  /** For doubles, and longs that wrap around: a difference. */
  def minus(left: Expression, right: Expression): Expression = Subtract(left, right, unchecked)

  /** A difference, with the session's overflow. */
  def difference(left: Expression, right: Expression): Expression = Subtract(left, right)

  /** A difference; null where it does not fit the type. */
  def minusOrNull(left: Expression, right: Expression): Expression = Subtract(left, right, orNull)

  /** For doubles: a sum. */
  def plus(left: Expression, right: Expression): Expression = Add(left, right, unchecked)

  /** For doubles: a product. */
  def times(left: Expression, right: Expression): Expression = Multiply(left, right, unchecked)

  /** For doubles: a quotient; null where the divisor is zero. */
  def divide(left: Expression, right: Expression): Expression = Divide(left, right, unchecked)

  /** A sum of two values, with the overflow of `sum`. */
  def plus(sum: Sum, left: Expression, right: Expression): Expression =
    Add(left, right, Overflow.of(sum))

  /** What `sum` does where its result does not fit. */
  def overflow(sum: Sum): EvalMode.Value = Overflow.modeOf(sum)
}

/** A product, with the session's overflow; its factors, with any. */
object Times {
  def apply(left: Expression, right: Expression): Expression = Multiply(left, right)

  def unapply(product: Multiply): Some[(Expression, Expression)] =
    Some((product.left, product.right))
}

/** The two sides of a difference, with any overflow. */
object Minus {
  def unapply(difference: Expression): Option[(Expression, Expression)] = difference match {
    case d: Subtract => Some((d.left, d.right))
    case _ => None
  }
}

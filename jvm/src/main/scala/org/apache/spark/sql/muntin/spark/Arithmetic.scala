package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum

/** Arithmetic with an overflow mode that does not depend on the session. */
object Arithmetic {
  private val unchecked = Overflow(EvalMode.LEGACY)
  private val orNull = Overflow(EvalMode.TRY)

  /** A difference of doubles, or of longs that wrap around. */
  def minus(left: Expression, right: Expression): Expression = Subtract(left, right, unchecked)

  /** A difference, with the session's overflow mode. */
  def difference(left: Expression, right: Expression): Expression = Subtract(left, right)

  /** A difference; null if it does not fit the type. */
  def minusOrNull(left: Expression, right: Expression): Expression = Subtract(left, right, orNull)

  /** A sum of doubles. */
  def plus(left: Expression, right: Expression): Expression = Add(left, right, unchecked)

  /** A product of doubles. */
  def times(left: Expression, right: Expression): Expression = Multiply(left, right, unchecked)

  /** A quotient of doubles; null if the divisor is zero. */
  def divide(left: Expression, right: Expression): Expression = Divide(left, right, unchecked)

  /** A sum of two values, with the overflow mode of `sum`. */
  def plus(sum: Sum, left: Expression, right: Expression): Expression =
    Add(left, right, Overflow.of(sum))

  /** The overflow mode of `sum`. */
  def overflow(sum: Sum): EvalMode.Value = Overflow.modeOf(sum)
}

/** A product, created with the session's overflow mode; matches any mode. */
object Times {
  def apply(left: Expression, right: Expression): Expression = Multiply(left, right)

  def unapply(product: Multiply): Some[(Expression, Expression)] =
    Some((product.left, product.right))
}

/** Matches a difference with any overflow mode, and returns its sides. */
object Minus {
  def unapply(difference: Expression): Option[(Expression, Expression)] = difference match {
    case d: Subtract => Some((d.left, d.right))
    case _ => None
  }
}

package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Computes how far a row of the left side reaches, from a tolerance. Without ANSI a bound that does
 * not fit its type wraps around, or is null: such a row reaches all rows on that side.
 */
private[asof] final class AsOfBounds(left: AsOfSide, right: AsOfSide, reach: AsOfReach) {
  private val leftTime = left.timeColumn
  private val rightTime = right.timeColumn
  private val start = reach.start.filter(_ => reach.takesBefore)
  private val end = reach.end.filter(_ => reach.takesAfter)

  private val mayNotFit = leftTime.dataType match {
    case _: IntegralType | _: DecimalType => true
    case _ => false
  }

  /** Returns a lower bound of the times of matched rows; None if any time may match. */
  def from: Option[Expression] =
    if (reach.takesBefore) start.map(first).filter(isSorted) else Some(leftTime)

  /** Returns an upper bound of the times of matched rows; None if any time may match. */
  def until: Option[Expression] =
    if (reach.takesAfter) end.flatMap(last).filter(isSorted) else Some(leftTime)

  /** Returns the condition on both rows that a row within the tolerance fulfills. */
  def within: Option[Expression] =
    (start.map(isFrom) ++ end.map(isUntil)).reduceOption[Expression](And(_, _))

  // Returns true if the bound reads only sort columns of the left side, from which a row's reach is
  // computed.
  private def isSorted(bound: Expression): Boolean = bound.references.subsetOf(left.references)

  private def isFrom(bound: Expression): Expression = {
    val isInside =
      if (reach.open) GreaterThan(rightTime, bound) else GreaterThanOrEqual(rightTime, bound)
    if (mayNotFit) Or(isBeyond(bound, GreaterThan(bound, leftTime)), isInside) else isInside
  }

  private def isUntil(bound: Expression): Expression = {
    val isInside = if (reach.open) LessThan(rightTime, bound) else LessThanOrEqual(rightTime, bound)
    if (mayNotFit) Or(isBeyond(bound, LessThan(bound, leftTime)), isInside) else isInside
  }

  /** Returns the first reached time: null, which precedes all times, if all times are reached. */
  private def first(bound: Expression): Expression =
    if (!mayNotFit) bound
    else If(isBeyond(bound, GreaterThan(bound, leftTime)), Literal(null, bound.dataType), bound)

  /** Returns the last reached time; None if all times may be reached. */
  private def last(bound: Expression): Option[Expression] = {
    val greatest: Option[Any] = leftTime.dataType match {
      case ByteType => Some(Byte.MaxValue)
      case ShortType => Some(Short.MaxValue)
      case IntegerType => Some(Int.MaxValue)
      case LongType => Some(Long.MaxValue)
      case _ => None
    }
    if (!mayNotFit) Some(bound)
    else greatest.map(g => If(LessThan(bound, leftTime), Literal(g, bound.dataType), bound))
  }

  private def isBeyond(bound: Expression, wraps: Expression): Expression = Or(IsNull(bound), wraps)
}

package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.muntin.spark.FrameBetween
import org.apache.spark.sql.types.DayTimeIntervalType
import org.apache.spark.unsafe.types.CalendarInterval

/** Formats the frame of an OVER clause as a query writes it, for messages and EXPLAIN. */
object FrameText {

  def apply(kind: FrameType, lower: Expression, upper: Expression): String =
    s"${kind.sql} BETWEEN ${bound(lower)} AND ${bound(upper)}"

  /**
   * Formats the frame with durations in place of the numbers that represent them in DataFrame code.
   */
  def apply(spec: WindowSpecDefinition): String = spec.frameSpecification match {
    case FrameBetween(RangeFrame, lower, upper)
        if spec.orderSpec.exists(o => RowTime.isMade(o.child)) =>
      apply(RangeFrame, duration(lower), duration(upper))
    case FrameBetween(kind, lower, upper) => apply(kind, lower, upper)
    case other => other.sql
  }

  // Uses the bound's sign: after the optimizer n PRECEDING is the literal -n.
  private def bound(bound: Expression): String = bound match {
    case special: SpecialFrameBoundary => special.sql
    case offset if offset.resolved && offset.foldable =>
      val literal = Literal.create(offset.eval(), offset.dataType)
      if (!isNegative(literal)) s"${literal.sql} FOLLOWING"
      else {
        val size = UnaryMinus(literal, failOnError = false).eval()
        s"${Literal.create(size, offset.dataType).sql} PRECEDING"
      }
    case other => s"${other.sql} FOLLOWING"
  }

  private def isNegative(offset: Literal): Boolean = offset.value match {
    case null => false
    case i: CalendarInterval =>
      val parts = Seq(i.months.toLong, i.days.toLong, i.microseconds)
      parts.exists(_ < 0L) && parts.forall(_ <= 0L)
    case value =>
      val zero = Literal.default(offset.dataType).value
      TypeUtils.getInterpretedOrdering(offset.dataType).lt(value, zero)
  }

  private def duration(bound: Expression): Expression = bound match {
    case KnownInteger(micros) => Literal(micros, DayTimeIntervalType())
    case other => other
  }
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.Framed
import org.apache.spark.sql.muntin.expressions.common.{BoundSide, RowBounds}
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverCall}
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Supports frames that end before they begin, which Spark rejects, with
 * spark.muntin.over.permissive. A RANGE frame may not be empty for every row: the frame of a null
 * contains the other nulls.
 */
private[plans] object EmptyFrames extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    (function, spec.frameSpecification) match {
      case (call: UnresolvedFunction, _)
          if WindowCalls.isRank(call) || RanksWithoutOrder.lacksOrder(call, spec) =>
        None
      case (_, FrameBetween(kind, lower, upper)) if isEmpty(spec) && !LongRows.areIn(spec) =>
        val (exclude, clause) = FrameMark.unapply(spec).fold[(Expression, WindowSpecDefinition)](
          (Literal(Framed.NoOthers), spec)
        ) { case (mark, unmarked) => (mark.exclude, unmarked) }
        def side(bound: Expression) =
          if (bound == CurrentRow) BoundSide.CurrentRow else BoundSide.Shifted
        def offset(bound: Expression) = if (bound == CurrentRow) Literal(null) else bound
        val bounds = RowBounds(kind.sql, side(lower), offset(lower), side(upper), offset(upper))
        val over = clause.copy(frameSpecification = UnspecifiedFrame)
        Some(OverCall(FramedCalls(function, exclude, bounds), over))
      case _ => None
    }

  /** Returns true if the frame ends before it begins, for GROUPS too. */
  def isEmpty(spec: WindowSpecDefinition): Boolean = WindowCalls.isPermissive &&
    !FrameMark.unapply(spec).exists(_._1.isGroups) && (spec.frameSpecification match {
      case FrameBetween(_, lower, upper) =>
        place(lower).exists(first => place(upper).exists(first > _))
      case _ => false
    })

  /** Returns the distance of a bound after the current row, if it is a number or microseconds. */
  private def place(bound: Expression): Option[Double] = bound match {
    case CurrentRow => Some(0.0)
    case _: SpecialFrameBoundary => None
    case offset if offset.resolved && offset.foldable =>
      Option(offset.eval()).collect {
        case number: Number => number.doubleValue
        case number: Decimal => number.toDouble
        case interval: CalendarInterval =>
          interval.months * 2.6e12 + interval.days * 8.64e10 + interval.microseconds
      }
    case _ => None
  }
}

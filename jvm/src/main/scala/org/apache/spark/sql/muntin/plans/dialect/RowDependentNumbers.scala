package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.{Framed, Nth}
import org.apache.spark.sql.muntin.expressions.common.{BoundSide, RowBounds}
import org.apache.spark.sql.muntin.spark.{Arithmetic, FrameBetween, FunctionCall, OverCall}
import org.apache.spark.sql.types.LongType

/** Supports nth_value, lag, lead and ntile with a number that is an expression of the row. */
private[plans] object RowDependentNumbers extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    function match {
      case call: UnresolvedFunction
          if WindowCalls.isOfRow(call) && WindowCalls.isSettled(call, spec) =>
        Some(
          if (WindowCalls.isNamed(call, "ntile")) ntile(call, spec)
          else if (WindowCalls.isNamed(call, "lag")) shifted(call, spec, UnaryMinus(_))
          else if (WindowCalls.isNamed(call, "lead")) shifted(call, spec, identity)
          else FramedCalls.over(NthCalls.ofRow(call), spec)
        )
      case _ => None
    }

  /** Returns lag or lead: the row at this distance; the row itself if the distance is 0. */
  private def shifted(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition,
      sign: Expression => Expression
  ): Expression = {
    val distance = sign(Cast(call.arguments(1), LongType))
    val value = WindowCalls.shiftedValue(call)
    val found =
      if (WindowCalls.condition(call).isEmpty) {
        val near = Coalesce(Seq(distance, Literal(0L)))
        val at = RowBounds("ROWS", BoundSide.Shifted, near, BoundSide.Shifted, near)
        val one = FunctionCall(Seq(Nth.qualifiedName), Seq(value, Literal(1)))
        OverCall(
          FramedCalls(one, Literal(Framed.NoOthers), at),
          spec.copy(frameSpecification = UnspecifiedFrame)
        )
      } else {
        def among(isMeant: Expression, lower: Expression, upper: Expression) =
          isMeant -> FramedCalls.over(
            NthCalls.placed(call, value, If(isMeant, distance, Literal(null, LongType))),
            spec.copy(frameSpecification = FrameBetween(RowFrame, lower, upper))
          )
        CaseWhen(
          Seq(
            among(LessThan(distance, Literal(0L)), UnboundedPreceding, Literal(-1)),
            among(GreaterThan(distance, Literal(0L)), Literal(1), UnboundedFollowing)
          ),
          Some(value)
        )
      }
    If(IsNull(distance), Literal(null), WindowCalls.orDefault(call, found))
  }

  /** Returns ntile, with one row more in each of the first buckets if rows remain. */
  private def ntile(call: UnresolvedFunction, spec: WindowSpecDefinition): Expression = {
    val number = OverCall(FunctionCall(Seq("row_number"), Nil), spec)
    val before = Cast(Arithmetic.difference(number, Literal(1)), LongType)
    val rows = OverCall(
      FunctionCall(Seq("count"), Seq(Literal(1))),
      spec.copy(orderSpec = Nil, frameSpecification = UnspecifiedFrame)
    )
    Buckets(before, rows, NthCalls.positive(call.arguments.head, "ntile", "buckets"))
  }
}

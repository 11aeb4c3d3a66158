package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.Nth
import org.apache.spark.sql.muntin.expressions.common.{Arguments, KnownInteger}
import org.apache.spark.sql.muntin.spark.{FrameBetween, FunctionCall, OverCall}

/**
 * Supports FILTER for nth_value, lag and lead, which Spark supports for aggregates only; and
 * nth_value FROM LAST.
 */
private[plans] object FilteredCalls extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    function match {
      case call: UnresolvedFunction
          if !WindowCalls.isOfRow(call) && WindowCalls.isSettled(call, spec) =>
        if (NthCalls.isFromLast(call)) Some(OverCall(NthCalls.nth(call), spec))
        else if (call.filter.isEmpty) None
        else if (NthCalls.isNth(call)) Some(OverCall(NthCalls.nth(call), spec))
        else if (WindowCalls.isNamed(call, "lag")) Some(shifted(call, spec, -1))
        else if (WindowCalls.isNamed(call, "lead")) Some(shifted(call, spec, 1))
        else None
      case _ => None
    }

  /** Returns the n-th row, before or after, that satisfies the condition. */
  private def shifted(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition,
      direction: Int
  ): Expression = {
    val distance = call.arguments.lift(1).getOrElse(Literal(1)) match {
      case KnownInteger(rows) if rows != 0L && rows.abs <= Int.MaxValue => (direction * rows).toInt
      case other =>
        throw new Arguments(call.nameParts.head).invalidValue(
          "offset",
          other,
          "an integer literal other than 0, because the call has a FILTER clause"
        )
    }
    val frame =
      if (distance < 0) FrameBetween(RowFrame, UnboundedPreceding, Literal(-1))
      else FrameBetween(RowFrame, Literal(1), UnboundedFollowing)
    val row = FunctionCall.filtered(
      FunctionCall(
        Seq(Nth.qualifiedName),
        Seq(WindowCalls.shiftedValue(call), Literal(distance))
      ),
      WindowCalls.condition(call)
    )
    WindowCalls.orDefault(call, OverCall(row, spec.copy(frameSpecification = frame)))
  }
}

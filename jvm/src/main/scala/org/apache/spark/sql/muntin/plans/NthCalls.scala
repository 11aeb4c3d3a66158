package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, UnaryMinus}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.muntin.expressions.{Nth, NthOfRow, PositiveOfRow}
import org.apache.spark.sql.muntin.parsing.StandardWords
import org.apache.spark.sql.muntin.spark.FunctionCall
import org.apache.spark.sql.types.LongType

/** nth_value as an aggregate of Muntin's. */
private[plans] object NthCalls {

  /** Returns true for nth_value, FROM FIRST or FROM LAST. */
  def isNth(call: UnresolvedFunction): Boolean =
    isFromLast(call) || WindowCalls.isNamed(call, "nth_value")

  /** Returns true for nth_value FROM LAST, whose number is negative. */
  def isFromLast(call: UnresolvedFunction): Boolean = call.nameParts == Seq(StandardWords.Nth)

  /** nth_value with a number that is the same for all rows. */
  def nth(call: UnresolvedFunction): UnresolvedFunction = FunctionCall.filtered(
    call.copy(nameParts = Seq(Nth.qualifiedName)),
    WindowCalls.condition(call)
  )

  /** nth_value with a number of the row. */
  def ofRow(call: UnresolvedFunction): Expression = {
    val number = call.arguments(1) match {
      case minus: UnaryMinus if isFromLast(call) =>
        UnaryMinus(positive(minus.child, "nth_value", "n"))
      case other => positive(other, "nth_value", "n")
    }
    placed(call, call.arguments.head, number)
  }

  /** The row with this number among those for which the call's condition is true. */
  def placed(
      call: UnresolvedFunction,
      value: Expression,
      number: Expression
  ): AggregateExpression =
    NthOfRow(value, number)
      .toAggregateExpression(isDistinct = false, WindowCalls.condition(call))

  def positive(number: Expression, function: String, parameter: String): Expression =
    PositiveOfRow(Cast(number, LongType), function, parameter)
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, UnaryMinus}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.muntin.expressions.Nth
import org.apache.spark.sql.muntin.expressions.common.{CheckedPositive, RowDependentNth}
import org.apache.spark.sql.muntin.parsing.StandardWords
import org.apache.spark.sql.muntin.spark.FunctionCall
import org.apache.spark.sql.types.LongType

/** Rewrites nth_value to a Muntin aggregate. */
private[plans] object NthCalls {

  /** Returns true for nth_value, FROM FIRST or FROM LAST. */
  def isNth(call: UnresolvedFunction): Boolean =
    isFromLast(call) || WindowCalls.isNamed(call, "nth_value")

  /** Returns true for nth_value FROM LAST, whose number is negative. */
  def isFromLast(call: UnresolvedFunction): Boolean = call.nameParts == Seq(StandardWords.Nth)

  /** Returns nth_value with a number that is constant. */
  def nth(call: UnresolvedFunction): UnresolvedFunction = FunctionCall.filtered(
    call.copy(nameParts = Seq(Nth.qualifiedName)),
    WindowCalls.condition(call)
  )

  /** Returns nth_value with a number that is an expression of the row. */
  def ofRow(call: UnresolvedFunction): Expression = {
    val number = call.arguments(1) match {
      case minus: UnaryMinus if isFromLast(call) =>
        UnaryMinus(positive(minus.child, "nth_value", "n"))
      case other => positive(other, "nth_value", "n")
    }
    placed(call, call.arguments.head, number)
  }

  /** Returns the row with this number among the rows that satisfy the call's condition. */
  def placed(
      call: UnresolvedFunction,
      value: Expression,
      number: Expression
  ): AggregateExpression =
    RowDependentNth(value, number)
      .toAggregateExpression(isDistinct = false, WindowCalls.condition(call))

  def positive(number: Expression, function: String, parameter: String): Expression =
    CheckedPositive(Cast(number, LongType), function, parameter)
}

package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Complete
}

/** An aggregate over rows, not over partials: its function, DISTINCT and FILTER. */
object AggregateCall {
  def apply(
      function: AggregateFunction,
      isDistinct: Boolean,
      filter: Option[Expression]
  ): AggregateExpression = AggregateExpression(function, Complete, isDistinct, filter)

  def unapply(
      call: AggregateExpression
  ): Option[(AggregateFunction, Boolean, Option[Expression])] =
    Option.when(call.mode == Complete)((call.aggregateFunction, call.isDistinct, call.filter))
}

/** The function of an aggregate expression. */
object CalledAggregate {
  def unapply(call: AggregateExpression): Some[AggregateFunction] = Some(call.aggregateFunction)
}

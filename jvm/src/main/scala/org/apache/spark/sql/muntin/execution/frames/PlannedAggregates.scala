package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.expressions.common.GroupAggregate

/** The aggregates of an operator, with the plans that all copies of the operator use. */
final class PlannedAggregates(name: String, aggregates: Seq[GroupAggregate]) {
  private val plans = WindowFunctions.planAll(name, aggregates)

  /** Returns the plans of `current`: planned again if a rule has replaced one of the aggregates. */
  def of(current: Seq[GroupAggregate]): Seq[AggregatePlan] =
    if (current.corresponds(aggregates)(_ eq _)) plans
    else WindowFunctions.planAll(name, current)
}

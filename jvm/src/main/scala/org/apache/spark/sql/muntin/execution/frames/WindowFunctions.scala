package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.catalyst.expressions.WindowExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.muntin.execution.functions.{
  AggregatePlan,
  ApproximateCounts,
  Call,
  DistinctPlans,
  ExactGroupPlans,
  ExtremePlans,
  FunctionPlan,
  KernelAggregatePlans,
  ListPlans,
  MergePlans,
  ModePlans,
  MomentPlans,
  OrderedRankPlans,
  PositionPlans,
  RankPlans,
  RankStatisticPlans,
  SetPlans
}
import org.apache.spark.sql.muntin.expressions.common.{
  Aggregated,
  Arguments,
  GroupAggregate,
  MovingAggregate,
  OverAggregate
}
import org.apache.spark.sql.muntin.partials.{MergedPartialPlans, PartialPlans}
import org.apache.spark.sql.muntin.spark.AggregateCall

/**
 * Finds the window functions that Muntin runs, each with its plan: from the first family that
 * supports it. Spark runs a function that no family supports.
 */
object WindowFunctions {
  private val families: Seq[PartialFunction[Call, AggregatePlan]] =
    Seq(
      ExactGroupPlans.plans,
      MomentPlans.plans,
      ExtremePlans.plans,
      ModePlans.plans,
      SetPlans.plans,
      ListPlans.plans,
      OrderedRankPlans.plans,
      ApproximateCounts.plans,
      PositionPlans.plans,
      RankStatisticPlans.plans,
      PartialPlans.plans,
      MergedPartialPlans.plans,
      KernelAggregatePlans.plans,
      MergePlans.plans
    )

  private val aggregates: PartialFunction[Call, AggregatePlan] = families.reduce(_ orElse _)

  // Spark's ranks are aggregates, too, and would be merged as aggregates.
  private val all: PartialFunction[Call, FunctionPlan] =
    RankPlans.plans orElse PositionPlans.shifted orElse aggregates

  def plan(window: WindowExpression): Option[FunctionPlan] = window.windowFunction match {
    case AggregateCall(over: OverAggregate, false, filter) =>
      plan(Call(over.function, filter), over.isDistinct)
    case AggregateCall(moving: MovingAggregate, false, None) =>
      val inside = moving.aggregated
      plan(Call(inside.function, inside.filter), inside.isDistinct)
    case AggregateCall(function, false, filter) =>
      aggregates.lift(Call(function, filter))
    case _: AggregateExpression => None
    case other => all.lift(Call(other, None))
  }

  /** Returns the plan of an aggregate of a group's windows. */
  def plan(aggregate: Aggregated): Option[AggregatePlan] =
    plan(Call(aggregate.function, aggregate.filter), aggregate.isDistinct)

  /** Returns the plans of the aggregates of GROUP BY windows by the function `window`. */
  def planAll(window: String, aggregates: Seq[GroupAggregate]): Seq[AggregatePlan] =
    aggregates.map { aggregate =>
      plan(aggregate.aggregated).getOrElse {
        throw new Arguments(window).error("MUNTIN_NONDETERMINISTIC", "expression" -> aggregate.sql)
      }
    }

  private def plan(call: Call, isDistinct: Boolean): Option[AggregatePlan] =
    if (isDistinct) DistinctPlans.plan(call, aggregates.lift) else aggregates.lift(call)
}

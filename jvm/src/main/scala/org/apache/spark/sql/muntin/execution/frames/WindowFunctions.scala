package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.catalyst.expressions.WindowExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete}
import org.apache.spark.sql.muntin.execution.functions.{
  ApproximateCounts,
  Call,
  DistinctPlans,
  ExactGroupPlans,
  ExtremePlans,
  FunctionPlan,
  ListPlans,
  MergePlans,
  ModePlans,
  MomentPlans,
  PositionPlans,
  RankPlans,
  RankStatisticPlans,
  SetPlans
}
import org.apache.spark.sql.muntin.expressions.{
  Aggregated,
  GroupAggregate,
  InvalidArgument,
  MovingAggregate,
  OverAggregate
}
import org.apache.spark.sql.muntin.partials.{MergedPartialPlans, PartialPlans}

/**
 * Which window functions Muntin runs, each with its plan: the families, asked in turn. A function
 * that none of them knows stays with Spark.
 */
object WindowFunctions {
  private val families: Seq[PartialFunction[Call, FunctionPlan]] =
    Seq(
      ExactGroupPlans.plans,
      MomentPlans.plans,
      ExtremePlans.plans,
      ModePlans.plans,
      SetPlans.plans,
      ListPlans.plans,
      ApproximateCounts.plans,
      PositionPlans.plans,
      RankPlans.plans,
      RankStatisticPlans.plans,
      PartialPlans.plans,
      MergedPartialPlans.plans,
      MergePlans.plans
    )

  private val all = families.reduce(_ orElse _)

  def plan(window: WindowExpression): Option[FunctionPlan] = window.windowFunction match {
    case AggregateExpression(over: OverAggregate, Complete, false, filter, _) =>
      plan(Call(over.function, filter), over.isDistinct)
    case AggregateExpression(moving: MovingAggregate, Complete, false, None, _) =>
      val inside = moving.aggregated
      plan(Call(inside.function, inside.filter), inside.isDistinct)
    case AggregateExpression(function, Complete, false, filter, _) =>
      all.lift(Call(function, filter))
    case _: AggregateExpression => None
    case other => all.lift(Call(other, None))
  }

  /** An aggregate of a group's windows. */
  def plan(aggregate: Aggregated): Option[FunctionPlan] =
    plan(Call(aggregate.function, aggregate.filter), aggregate.isDistinct)

  /** The aggregates beside a window of groups, `window` by name. */
  def planAll(window: String, aggregates: Seq[GroupAggregate]): Seq[FunctionPlan] =
    aggregates.map { aggregate =>
      plan(aggregate.aggregated).getOrElse {
        throw InvalidArgument(window, "agg", s"${aggregate.sql}, which is not deterministic")
      }
    }

  private def plan(call: Call, isDistinct: Boolean): Option[FunctionPlan] =
    if (isDistinct) DistinctPlans.plan(call, all.lift) else all.lift(call)
}

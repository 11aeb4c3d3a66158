package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.catalyst.expressions.{Expression, If, Literal, WindowExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.muntin.expressions.{
  Aggregated,
  GroupAggregate,
  InvalidArgument,
  MovingAggregate,
  OverAggregate
}
import org.apache.spark.sql.muntin.spark.AggregateCall
import org.apache.spark.sql.types.BooleanType

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
    case AggregateCall(over: OverAggregate, false, filter) =>
      plan(Call(over.function, filter), over.isDistinct)
    case AggregateCall(moving: MovingAggregate, false, None) =>
      val inside = moving.aggregated
      plan(Call(inside.function, inside.filter), inside.isDistinct)
    case AggregateCall(function, false, filter) =>
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

/** A window function and its FILTER. */
final case class Call(function: Expression, filter: Option[Expression]) {

  /** `input` where the row passes the filter, else null: for functions that pass over nulls. */
  def masked(input: Expression): Expression =
    filter.fold(input)(If(_, input, Literal(null, input.dataType)))

  /** Not null where the row passes the filter; None without one. */
  def marks: Option[Expression] = filter.map(If(_, Literal(true), Literal(null, BooleanType)))
}

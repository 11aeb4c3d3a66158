package org.apache.spark.sql.muntin.plans.dialect

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.muntin.partials.{
  AllPartialInputs,
  DeferredAggregation,
  MergePartial,
  PartialInput,
  PartialType
}
import org.apache.spark.sql.muntin.spark.FunctionCall

/**
 * Before analysis, gives the aggregate in merge_partial(agg(p)) p's inputs as arguments, because
 * they have the types that Spark expects there.
 */
object PartialInputs extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case call @ ResolveNames(MergePartial) =>
        call.copy(arguments = call.arguments.map(overInputs))
      case call: UnresolvedFunction if call.nameParts == DeferredAggregation.Call =>
        call.arguments match {
          case Seq(agg: UnresolvedFunction) if agg.arguments.nonEmpty =>
            DeferredAggregation(agg.arguments.head, agg)
          case _ => call
        }
    }

  /** Returns the aggregate over a partial. */
  def merged(agg: UnresolvedFunction): Expression =
    FunctionCall(Seq(MergePartial.qualifiedName), Seq(overInputs(agg)))

  private def overInputs(agg: Expression): Expression = agg match {
    case done if done.exists(isInput) => done
    case call: UnresolvedFunction if isRanked(call) =>
      val order = FunctionCall.order(call)
      val inputs = order.head.copy(child = PartialInput(order.head.child, 0))
      FunctionCall.withOrder(call, inputs +: order.tail)
    case call: UnresolvedFunction if call.arguments.nonEmpty =>
      call.copy(arguments = inputs(name(call), call.arguments))
    // The parser resolves first, last and any_value itself.
    case aggregate: AggregateExpression =>
      val function = aggregate.aggregateFunction
      val applied = function.withNewChildren(inputs(function.prettyName, function.children))
      aggregate.copy(aggregateFunction = applied.asInstanceOf[AggregateFunction])
    case other => other
  }

  private def isInput(expression: Expression): Boolean = expression match {
    case _: PartialInput | _: AllPartialInputs => true
    case _ => false
  }

  private def inputs(function: String, arguments: Seq[Expression]): Seq[Expression] = {
    val partial = arguments.head
    val all =
      if (ofTwo(function)) Seq.tabulate(2)(PartialInput(partial, _))
      else if (FunctionCall.isSparks(function)) Seq(PartialInput(partial, 0))
      else Seq(AllPartialInputs(partial))
    all ++ arguments.tail
  }

  private def name(call: UnresolvedFunction): String = call.nameParts.last.toLowerCase(Locale.ROOT)

  private def isRanked(call: UnresolvedFunction): Boolean =
    FunctionCall.order(call).nonEmpty && ranked(name(call))

  private val ranked = Set("percentile_cont", "percentile_disc", "mode")

  private val ofTwo = Set(
    "corr",
    "covar_pop",
    "covar_samp",
    "max_by",
    "min_by",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy"
  )
}

/**
 * When the type of a partial is known, gives an aggregate that is not built into Spark as many
 * inputs as the partial has. An aggregate of Odysseus' lists merges its input if the input is a
 * partial.
 */
object ResolvePartialInputs extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case call: UnresolvedFunction if call.arguments.exists(isKnown) =>
        call.copy(arguments = call.arguments.flatMap {
          case all: AllPartialInputs if isKnown(all) => all.inputs
          case other => Seq(other)
        })
      case DeferredAggregation(input, agg) if input.resolved =>
        if (PartialType.of(input.dataType).isRight) PartialInputs.merged(agg) else agg
    }

  private def isKnown(argument: Expression): Boolean = argument match {
    case AllPartialInputs(partial) => partial.resolved
    case _ => false
  }
}

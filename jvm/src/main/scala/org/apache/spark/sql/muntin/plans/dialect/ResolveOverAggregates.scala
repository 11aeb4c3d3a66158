package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.common.OverAggregate
import org.apache.spark.sql.muntin.spark.{ConcatenationOf, FrameBetween, OverCall}

/**
 * Aggregates that Spark refuses in an OVER clause although they have a meaning there: DISTINCT, and
 * median, percentile_cont, percentile_disc and listagg WITHIN GROUP in an ordered frame. Once the
 * analyzer has made the clause a Window, they get a form that passes Spark's checks.
 */
object ResolveOverAggregates extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.OverEnabled)) plan
    else {
      plan.resolveOperatorsWithPruning(_.containsPattern(WINDOW)) {
        case window: Window if window.resolved =>
          window.transformExpressions {
            case w @ OverCall(aggregate: AggregateExpression, spec) =>
              w.copy(windowFunction = accepted(aggregate, spec))
          }
      }
    }

  private[plans] def accepted(
      aggregate: AggregateExpression,
      spec: WindowSpecDefinition
  ): Expression =
    aggregate.aggregateFunction match {
      // Spark has an error of its own for it.
      case _ if ConcatenationOf.isRefused(aggregate) => aggregate
      case function if aggregate.isDistinct && isEvaluated(function) =>
        aggregate.copy(
          aggregateFunction = OverAggregate(function, isDistinct = true),
          isDistinct = false
        )
      case _ if isWhole(spec) => aggregate
      case ConcatenationOf(_, _, order) if order.nonEmpty => ordered(aggregate)
      case _: PercentileDisc => ordered(aggregate)
      case median: Median => replaced(aggregate, median)
      case continuous: PercentileCont => replaced(aggregate, continuous)
      case _ => aggregate
    }

  private def ordered(aggregate: AggregateExpression): AggregateExpression =
    aggregate.copy(aggregateFunction =
      OverAggregate(aggregate.aggregateFunction, isDistinct = false)
    )

  /** By the expression that Spark itself puts in its place a moment later, and does not refuse. */
  private def replaced(
      aggregate: AggregateExpression,
      function: RuntimeReplaceableAggregate
  ): AggregateExpression =
    aggregate.copy(aggregateFunction = function.replacement.asInstanceOf[AggregateFunction])

  // Other aggregates (Python's) Spark may refuse.
  private def isEvaluated(function: AggregateFunction): Boolean = function match {
    case _: RuntimeReplaceableAggregate => true
    case other => SparkAggregate.canRun(other)
  }

  private def isWhole(spec: WindowSpecDefinition): Boolean =
    spec.orderSpec.isEmpty && spec.frameSpecification ==
      FrameBetween(RowFrame, UnboundedPreceding, UnboundedFollowing)
}

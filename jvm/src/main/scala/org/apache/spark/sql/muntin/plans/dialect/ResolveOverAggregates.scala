package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.common.OverAggregate
import org.apache.spark.sql.muntin.spark.{FrameBetween, ListAggCall, OverCall}

/**
 * Supports aggregates in an OVER clause that Spark rejects there, although they are well defined:
 * DISTINCT, and median, percentile_cont, percentile_disc and listagg WITHIN GROUP in an ordered
 * frame. When the analyzer has turned the clause into a Window, they get a form that passes Spark's
 * checks.
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
      // Spark reports its own error for this call.
      case _ if ListAggCall.isRejectedBySpark(aggregate) => aggregate
      case function if aggregate.isDistinct && isEvaluated(function) =>
        aggregate.copy(
          aggregateFunction = OverAggregate(function, isDistinct = true),
          isDistinct = false
        )
      case _ if isWhole(spec) => aggregate
      case ListAggCall(_, _, order) if order.nonEmpty => ordered(aggregate)
      case _: PercentileDisc => ordered(aggregate)
      case median: Median => replaced(aggregate, median)
      case continuous: PercentileCont => replaced(aggregate, continuous)
      case _ => aggregate
    }

  private def ordered(aggregate: AggregateExpression): AggregateExpression =
    aggregate.copy(aggregateFunction =
      OverAggregate(aggregate.aggregateFunction, isDistinct = false)
    )

  /** Replaces an aggregate by the expression that Spark itself uses later, and does not reject. */
  private def replaced(
      aggregate: AggregateExpression,
      function: RuntimeReplaceableAggregate
  ): AggregateExpression =
    aggregate.copy(aggregateFunction = function.replacement.asInstanceOf[AggregateFunction])

  // Spark may reject other aggregates, such as Python's.
  private def isEvaluated(function: AggregateFunction): Boolean = function match {
    case _: RuntimeReplaceableAggregate => true
    case other => SparkAggregate.canRun(other)
  }

  private def isWhole(spec: WindowSpecDefinition): Boolean =
    spec.orderSpec.isEmpty && spec.frameSpecification ==
      FrameBetween(RowFrame, UnboundedPreceding, UnboundedFollowing)
}

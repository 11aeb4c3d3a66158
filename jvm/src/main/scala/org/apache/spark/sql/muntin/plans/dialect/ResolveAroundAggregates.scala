package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.{withPosition, UnresolvedAlias}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.common.{UnplacedMovingAggregate, UnresolvedAround}
import org.apache.spark.sql.muntin.plans.logical.ColumnName
import org.apache.spark.sql.muntin.spark.{CalledAggregate, OverCall}

/**
 * Resolves functions around an aggregate when the aggregate and the other arguments are resolved:
 * the function replaces the aggregate in its OVER clause. When the analyzer has turned the clause
 * into a Window, moving aggregates get the form in which Muntin evaluates them.
 */
object ResolveAroundAggregates extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
      case window: Window if window.resolved =>
        window.transformExpressions {
          case a @ CalledAggregate(UnplacedMovingAggregate(moving)) =>
            a.copy(aggregateFunction = moving)
        }
      case node =>
        node
          .transformExpressionsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
            case unnamed @ UnresolvedAlias(around: UnresolvedAround, _) => named(unnamed, around)
          }
          .transformExpressionsUpWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
            case around: UnresolvedAround => collapsed(around)
          }
    }

  private def named(unnamed: UnresolvedAlias, around: UnresolvedAround): Expression =
    collapsed(around) match {
      case waiting: UnresolvedAround => unnamed.copy(child = waiting)
      case result =>
        windowsIn(result).lastOption.fold[Expression](unnamed.copy(child = result)) { window =>
          Alias(result, title(around).getOrElse(ColumnName(around.function, window)))()
        }
    }

  private def windowsIn(result: Expression): Seq[Expression] = result match {
    case window @ OverCall(_, _) => Seq(window)
    case other => other.children.flatMap(windowsIn)
  }

  private def title(around: UnresolvedAround): Option[String] = around.window match {
    case window @ OverCall(inside, _) => around.function.title(window, inside +: around.arguments)
    case _ => None
  }

  private def collapsed(around: UnresolvedAround): Expression = around match {
    case UnresolvedAround(function, window @ OverCall(agg, spec), arguments)
        if window.resolved && arguments.forall(_.resolved) =>
      withPosition(around) {
        val all = agg +: arguments
        val whole = function.inWindow(all, spec) match {
          case aggregate: AggregateFunction => aggregate.toAggregateExpression()
          case other => other
        }
        function.result(window.copy(windowFunction = whole), all)
      }
    case waiting => waiting
  }
}

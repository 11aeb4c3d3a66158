package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, WindowExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.common.{FrameText, RowTime, UnresolvedAround}
import org.apache.spark.sql.muntin.spark.{MuntinAnalysisException, OverCall}

/**
 * Before analysis, rejects an OVER clause around an expression that has an OVER clause from Muntin,
 * as in `rolling(…).over(w)`. Spark would take it apart and fail with an internal error. For other
 * windows Spark reports its own errors.
 */
object RejectNestedOver extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(WINDOW_EXPRESSION)) plan.foreach(_.expressions.foreach(check))
    plan
  }

  private def check(expression: Expression): Unit = expression.foreach {
    case OverCall(function, _) => checkInside(function)
    case _ =>
  }

  private def checkInside(function: Expression): Unit = function match {
    case Alias(named, _) => checkInside(named)
    case UnresolvedAround(_, inner: WindowExpression, _) => throw twice(inner)
    case inner: WindowExpression
        if inner.windowSpec.orderSpec.exists(o => RowTime.isMade(o.child)) =>
      throw twice(inner)
    case _ =>
  }

  private def twice(window: WindowExpression): AnalysisException = new MuntinAnalysisException(
    "MUNTIN_SECOND_OVER",
    "aggregate" -> window.windowFunction.sql,
    "frame" -> FrameText(window.windowSpec)
  )
}

package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, WindowExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.common.{
  FrameText,
  InvalidArgument,
  RowTime,
  UnresolvedAround
}
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Before analysis, rejects an OVER clause around an expression that has an OVER clause from Muntin,
 * as in `rolling(…).over(w)`. Spark would take it apart and fail with an internal error. For other
 * windows Spark reports its own errors.
 */
object OverTwice extends Rule[LogicalPlan] {
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
    case UnresolvedAround(around, inner: WindowExpression, _) => throw invalid(around.name, inner)
    case inner: WindowExpression
        if inner.windowSpec.orderSpec.exists(o => RowTime.isMade(o.child)) =>
      throw invalid("over", inner)
    case _ =>
  }

  private def invalid(function: String, window: WindowExpression): AnalysisException =
    InvalidArgument(
      function,
      "OVER",
      s"a second OVER clause around ${window.windowFunction.sql}, which has one already, of " +
        s"${FrameText(window.windowSpec)}. Leave the second .over(…) out: rolling brings its " +
        "own. For a window over the results of another, select the results first"
    )
}

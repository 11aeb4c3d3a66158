package org.apache.spark.sql.muntin.plans.dialect

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Expression, WindowExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Before analysis, rewrites the parts of the SQL standard's windows that Spark does not support to
 * Muntin's functions.
 *
 *     sum(x) OVER (… GROUPS 2 PRECEDING EXCLUDE TIES)      framed(sum(x), exclude => 'ties',
 *                                                              groups => …) OVER (…)
 *     nth_value(x, 2) FILTER (WHERE c) OVER w              nth(x, 2) FILTER (WHERE c) OVER w
 *     lag(x) FILTER (WHERE c) OVER (ORDER BY t)            nth(x, -1) FILTER (WHERE c) OVER (
 *                                                              ORDER BY t ROWS … 1 PRECEDING)
 *
 * Applies the rules to a window one after the other until none applies. The order of the rules does
 * not matter (StandardWindowsSuite).
 */
object StandardWindows extends Rule[LogicalPlan] {
  private[muntin] val rules: Seq[WindowRule] = Seq(
    RanksWithoutFrame,
    RanksWithoutOrder,
    LongRows,
    FramesOfPeers,
    EmptyFrames,
    MarkedFrames,
    RowDependentNumbers,
    FilteredCalls
  )

  override def apply(plan: LogicalPlan): LogicalPlan = apply(plan, rules)

  private[muntin] def apply(plan: LogicalPlan, rules: Seq[WindowRule]): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
      case window: WindowExpression => changed(window, rules)
    }

  @tailrec
  private def changed(window: Expression, rules: Seq[WindowRule]): Expression = window match {
    case OverCall(function, spec) =>
      rules.iterator.map(_(function, spec)).collectFirst { case Some(next) => next } match {
        case Some(next) =>
          next.copyTagsFrom(window)
          changed(next, rules)
        case None => window
      }
    case other => other
  }
}

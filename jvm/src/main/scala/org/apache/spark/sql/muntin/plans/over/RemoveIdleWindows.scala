package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{WINDOW, WINDOW_EXPRESSION}
import org.apache.spark.sql.muntin.conf.MuntinConf

/**
 * Moves columns that are not window functions out of a Window, and removes a Window that has no
 * other columns. The optimizer replaces `count(NULL) OVER ()` by a literal, and Spark adds the keys
 * of a correlated subquery to the Window's columns.
 */
object RemoveIdleWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.OverEnabled)) plan
    else {
      plan.transformWithPruning(_.containsPattern(WINDOW)) {
        case window: Window
            if !window.windowExpressions.forall(_.containsPattern(WINDOW_EXPRESSION)) =>
          val functions = window.windowExpressions.filter(_.containsPattern(WINDOW_EXPRESSION))
          val rows =
            if (functions.isEmpty) window.child else window.copy(windowExpressions = functions)
          val columns = window.windowExpressions.map { column =>
            if (functions.contains(column)) column.toAttribute else column
          }
          Project(window.child.output ++ columns, rows)
      }
    }
}

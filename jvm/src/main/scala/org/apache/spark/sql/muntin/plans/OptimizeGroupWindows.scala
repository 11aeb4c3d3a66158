package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.GroupWindow
import org.apache.spark.sql.muntin.spark.GroupBy

/**
 * A filter on the keys goes below the windows, where it spares their rows; what the window has to
 * know of all groups is then asked of the rows before the filter. Functions that nobody asks for
 * go.
 */
object OptimizeGroupWindows extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(GroupWindow.Pattern)) {
      case Filter(condition, windows: GroupWindows) if onKeys(condition, windows).nonEmpty =>
        val all = splitConjunctivePredicates(condition)
        val below = onKeys(condition, windows)
        val above = all.filterNot(below.contains)
        val pushed = windows.copy(
          known = windows.known.orElse(ofAllGroups(windows).map(known(_, windows.child))),
          child = Filter(below.reduce(And(_, _)), windows.child)
        )
        above.reduceOption(And(_, _)).fold[LogicalPlan](pushed)(Filter(_, pushed))
      case project @ Project(_, windows: GroupWindows) if !asksAll(project.references, windows) =>
        project.copy(child = asked(project.references, windows))
      case project @ Project(_, filter @ Filter(_, windows: GroupWindows))
          if !asksAll(project.references ++ filter.references, windows) =>
        val references = project.references ++ filter.references
        project.copy(child = filter.copy(child = asked(references, windows)))
    }

  // On a stream it is the watermark that says how far time has come.
  private def ofAllGroups(windows: GroupWindows): Option[AggregateFunction] =
    if (windows.isStreaming) None else windows.spec.ofAllGroups

  private def asksAll(references: AttributeSet, windows: GroupWindows): Boolean =
    windows.results.forall(references.contains(_))

  private def asked(references: AttributeSet, windows: GroupWindows): GroupWindows = {
    val (functions, results) = windows.functions
      .zip(windows.results)
      .filter { case (_, result) => references.contains(result) }
      .unzip
    windows.copy(functions = functions, results = results)
  }

  private def onKeys(condition: Expression, windows: GroupWindows): Seq[Expression] = {
    val keys = AttributeSet(windows.keys)
    // On a stream rows are counted where they come to their groups: all of them.
    if (windows.marks.isDefined) Nil
    else splitConjunctivePredicates(condition).filter { c =>
      c.deterministic && c.references.nonEmpty && c.references.subsetOf(keys)
    }
  }

  /** The value of an aggregate over all of these rows. */
  def known(
      function: AggregateFunction,
      rows: LogicalPlan,
      id: ExprId = NamedExpression.newExprId
  ): ScalarSubquery = {
    val value = Alias(function.toAggregateExpression(), "known")()
    ScalarSubquery(GroupBy(Nil, Seq(value), rows), exprId = id)
  }
}

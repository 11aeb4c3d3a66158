package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.common.GroupWindow

/**
 * Pushes a filter below windows if it removes whole windows. Removes functions whose results are
 * unused. On a stream, keeps unused columns out of the state.
 */
object OptimizeWindows extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(GroupWindow.Pattern)) {
      case filter @ Filter(condition, windows: SupportsFilterPushdown) =>
        val (below, above) = splitConjunctivePredicates(condition).partition { c =>
          c.deterministic && c.references.nonEmpty && c.references.subsetOf(windows.filtered)
        }
        if (below.isEmpty) filter
        else {
          val pushed = windows.where(below.reduce(And(_, _)))
          above.reduceOption(And(_, _)).fold(pushed)(Filter(_, pushed))
        }
      case project @ Project(_, windows: AggregateWindows) =>
        project.copy(child = reading(project.references, windows))
      case project @ Project(_, filter @ Filter(_, windows: AggregateWindows)) =>
        val read = project.references ++ filter.references
        project.copy(child = filter.copy(child = reading(read, windows)))
      case project @ Project(list, windows: StreamWindows) =>
        project.copy(child = reading(AttributeSet(list), windows))
    }

  private def reading(read: AttributeSet, windows: AggregateWindows): LogicalPlan =
    if (windows.results.forall(read.contains)) windows
    else {
      val (functions, results) =
        windows.functions.zip(windows.results).filter(f => read.contains(f._2)).unzip
      windows.only(functions, results)
    }

  /**
   * The columns are sorted by name, so that the state does not depend on how the query is written.
   */
  private def reading(read: AttributeSet, windows: StreamWindows): LogicalPlan = {
    val needed = read ++ windows.references
    val columns: Seq[NamedExpression] =
      windows.child.output.filter(needed.contains).distinctBy(_.exprId).sortBy(_.name)
    if (columns == windows.child.output) windows
    else windows.copy(child = Project(columns, windows.child))
  }
}

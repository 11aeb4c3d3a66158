package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.GroupWindow

/**
 * A filter on the anchors goes below, where it spares their windows. Functions that nobody asks for
 * go.
 */
object OptimizeAnchoredWindows extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(GroupWindow.Pattern)) {
      // On a stream every anchor's promise is heard.
      case filter @ Filter(condition, windows: AnchoredWindows) if windows.obsolete.isEmpty =>
        val (below, above) = splitConjunctivePredicates(condition).partition { c =>
          c.deterministic && c.references.subsetOf(windows.left.outputSet)
        }
        if (below.isEmpty) filter
        else {
          val pushed = windows.copy(left = Filter(below.reduce(And(_, _)), windows.left))
          above.reduceOption(And(_, _)).fold[LogicalPlan](pushed)(Filter(_, pushed))
        }
      case project @ Project(_, windows: AnchoredWindows) if isIdle(windows, project.references) =>
        project.copy(child = pruned(windows, project.references))
      case project @ Project(_, filter @ Filter(_, windows: AnchoredWindows))
          if isIdle(windows, project.references ++ filter.references) =>
        val read = project.references ++ filter.references
        project.copy(child = filter.copy(child = pruned(windows, read)))
    }

  private def isIdle(windows: AnchoredWindows, read: AttributeSet): Boolean =
    !windows.results.forall(read.contains(_))

  private def pruned(windows: AnchoredWindows, read: AttributeSet): AnchoredWindows = {
    val (functions, results) = windows.functions
      .zip(windows.results)
      .filter { case (_, result) => read.contains(result) }
      .unzip
    windows.copy(functions = functions, results = results)
  }
}

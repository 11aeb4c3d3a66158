package org.apache.spark.sql.muntin.plans.groups

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.AssignWindows
import org.apache.spark.sql.muntin.spark.GroupBy

/**
 * Plans a GROUP BY with ROLLUP, CUBE or GROUPING SETS that has a window among its columns. Spark
 * copies the rows for each set, with nulls in the columns that the set does not have. The windows
 * depend on the rows of a group. So the sets with the window become one GROUP BY over the copies,
 * with assigned windows, and the sets without the window become another one, which Spark runs.
 */
private[plans] object WindowSets {

  /** The GROUP BY with windows, and the GROUP BY without windows, if there is one. */
  final case class Parts(withWindow: Aggregate, assigned: AssignWindows, without: Option[Aggregate])

  def of(aggregate: Aggregate): Option[Parts] = aggregate match {
    case GroupBy(_, _, copies @ Expand(sets, output, Project(named, windows: AssignWindows))) =>
      named.collectFirst { case a @ Alias(w, _) if isWindow(w, windows) => a.toAttribute }
        .map { copied =>
          val place = sets.map(_.indexWhere(_.semanticEquals(copied))).max
          refuseWindowInside(aggregate, windows)
          new Split(aggregate, copies, windows, copied, output(place), place).parts
        }
    case _ => None
  }

  private def isWindow(expression: Expression, windows: AssignWindows): Boolean =
    expression.semanticEquals(windows.attribute)

  // The window exists only after aggregation.
  private def refuseWindowInside(aggregate: Aggregate, windows: AssignWindows): Unit =
    aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a })
      .find(_.references.contains(windows.attribute))
      .foreach { a =>
        throw new Arguments(windows.window.prettyName).error(
          "MUNTIN_AGGREGATE_OF_WINDOW",
          "aggregate" -> a.sql
        )
      }

  private final class Split(
      aggregate: Aggregate,
      copies: Expand,
      windows: AssignWindows,
      copied: Attribute,
      window: Attribute,
      place: Int
  ) {
    private def hasWindow(set: Seq[Expression]): Boolean = set(place).semanticEquals(copied)

    private val (having, lacking) = copies.projections.partition(hasWindow)

    // Neither the window nor its copy is a column of the rows.
    private val kept = copies.output.indices.filterNot { i =>
      i == place || copies.projections.forall(set => isWindow(set(i), windows))
    }

    private val rows = {
      val Project(named, _) = copies.child: @unchecked
      Project(
        named.filterNot(c => c.semanticEquals(windows.attribute) || c.toAttribute == copied),
        windows.child
      )
    }

    private def of(sets: Seq[Seq[Expression]]): Expand =
      Expand(sets.map(set => kept.map(set)), kept.map(copies.output), rows)

    def parts: Parts = {
      val assigned = AssignWindows(
        windows.plan,
        window.withMetadata(windows.attribute.metadata).asInstanceOf[AttributeReference],
        of(having)
      )
      val nothing = Alias(Literal.create(null, window.dataType), window.name)(window.exprId)
      Parts(
        aggregate.copy(child = assigned),
        assigned,
        Option.when(lacking.nonEmpty) {
          val few = of(lacking)
          aggregate.copy(child = Project(few.output :+ nothing, few))
        }
      )
    }
  }
}

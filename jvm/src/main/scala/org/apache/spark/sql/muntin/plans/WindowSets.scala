package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.expressions.InvalidArgument
import org.apache.spark.sql.muntin.spark.GroupBy

/**
 * A GROUP BY with ROLLUP, CUBE or GROUPING SETS, one of whose columns is a window. Spark copies the
 * rows for each set, with nulls in the columns that the set does not have. What windows there are
 * is up to the rows of a group, so the sets with the window are one GROUP BY over the copies, in
 * which windows are assigned, and the sets without it another one, of Spark's own.
 */
private[plans] object WindowSets {

  /** The two, where there are both: with windows and without. */
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

  // It is there only when the rows have been aggregated.
  private def refuseWindowInside(aggregate: Aggregate, windows: AssignWindows): Unit =
    aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a })
      .find(_.references.contains(windows.attribute))
      .foreach { a =>
        throw InvalidArgument(
          windows.window.prettyName,
          "GROUP BY",
          s"${a.sql} aggregates the window itself, which is no column of the rows; aggregate it " +
            "in a query around"
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

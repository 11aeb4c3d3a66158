package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.plans.logical.{Origin, StreamWindows}

/**
 * A window that is pushed down a plan to another window with the same PARTITION BY and ORDER BY. It
 * moves through projections, and past windows that it does not read. All expressions are in columns
 * of the window's current position.
 *
 *     Window [sum(y) OVER w]              descends through the Project, past the window over v,
 *     +- Project [t, k, x + 1 AS y]       and lands in the lower node:
 *        +- Window [max(x) OVER v]
 *           +- Window [min(x) OVER w]     Window [min(x) OVER w, sum(x + 1) OVER w]
 *
 * @param inputs
 *   for each column that the functions read, the expression at this position; None if the window
 *   reads a column that is computed above this position
 * @param toAnyOrder
 *   true if the target window needs only these keys, in any order
 */
private[plans] final case class Descent(
    keys: Seq[Expression],
    order: Seq[SortOrder],
    inputs: Option[AttributeMap[Expression]],
    toAnyOrder: Boolean = false
) {

  /**
   * Descends from the top of `plan`, and calls `land` with three arguments: the first window that
   * has these keys and this order; this window in columns of the position below it; true if the
   * descent has passed other windows.
   */
  def to[A](plan: LogicalPlan, isPast: Boolean = false)(
      land: (LogicalPlan, Descent, Boolean) => Option[Landing[A]]
  ): Option[Landing[A]] = plan match {
    case project @ Project(list, child) =>
      for {
        here <- over(child)(Origin.below(_, list))
        landing <- here.to(child, isPast)(land)
      } yield landing.above(project)
    case SubqueryAlias(_, child) => to(child, isPast)(land).map(_.under(plan))
    case view: View => to(view.child, isPast)(land).map(_.under(plan))
    case Descent.WindowNode(theirs, ordered, child) =>
      over(child)(identity).flatMap { here =>
        val isPlace =
          here.hasKeys(theirs, child) && (toAnyOrder || here.hasOrder(ordered, child))
        if (isPlace) land(plan, here, isPast)
        else here.to(child, isPast = true)(land).map(_.under(plan))
      }
    case _ => None
  }

  /** Returns true if the values of the order are equal, not only the order of the rows. */
  def hasValues(ordered: Seq[SortOrder], child: LogicalPlan): Boolean =
    order.zip(ordered).forall { case (o, p) =>
      Origin(o.child, child).semanticEquals(Origin(p.child, child))
    }

  private def over(child: LogicalPlan)(said: Expression => Expression): Option[Descent] = {
    def isThere(e: Expression) = e.references.subsetOf(child.outputSet)
    val (newKeys, newOrder) =
      (keys.map(said), order.map(o => o.copy(child = said(o.child), sameOrderExpressions = Nil)))
    if (!(newKeys ++ newOrder).forall(isThere)) None
    else {
      val read = inputs.map(_.map { case (known, e) => known -> said(e) })
      Some(copy(
        newKeys,
        newOrder,
        read.filter(_.values.forall(isThere)).map(all => AttributeMap(all.toSeq))
      ))
    }
  }

  private def hasKeys(theirs: Seq[Expression], child: LogicalPlan): Boolean = {
    val (a, b) = (keys.map(Origin(_, child)), theirs.map(Origin(_, child)))
    a.forall(k => b.exists(_.semanticEquals(k))) && b.forall(k => a.exists(_.semanticEquals(k)))
  }

  private def hasOrder(ordered: Seq[SortOrder], child: LogicalPlan): Boolean =
    order.size == ordered.size && order.zip(ordered).forall { case (o, p) =>
      o.direction == p.direction && o.nullOrdering == p.nullOrdering &&
      Origin.time(Origin(o.child, child)).semanticEquals(Origin.time(Origin(p.child, child)))
    }
}

private[plans] object Descent {

  /** Returns the descent of a window with these functions, at the top of its child. */
  def of(keys: Seq[Expression], order: Seq[SortOrder], functions: Seq[Expression]): Descent = {
    val read = AttributeSet(functions).toSeq
    Descent(keys, order, Some(AttributeMap(read.map(a => a -> a))))
  }

  /** Returns the descent of a window to another window with these keys, in any order. */
  def ofKeys(keys: Seq[Expression]): Descent = Descent(keys, Nil, None, toAnyOrder = true)

  private object WindowNode {
    def unapply(plan: LogicalPlan): Option[(Seq[Expression], Seq[SortOrder], LogicalPlan)] =
      plan match {
        case w: Window => Some((w.partitionSpec, w.orderSpec, w.child))
        case w: StreamWindows => Some((w.partitionSpec, w.orderSpec, w.child))
        case _ => None
      }
  }
}

/**
 * A plan after a window was moved down, while the nodes above it are rebuilt. `columns` must be in
 * the output at the top.
 */
private[plans] final case class Landing[A](plan: LogicalPlan, columns: Seq[Attribute], found: A) {
  def above(project: Project): Landing[A] = {
    val there = AttributeSet(columns)
    // A column that is computed below is not computed again.
    val list = project.projectList.map {
      case a: Alias if there.contains(a.toAttribute) => a.toAttribute
      case other => other
    }
    val out = AttributeSet(list.map(_.toAttribute))
    val made = Project(list ++ columns.filterNot(out.contains), plan)
    made.copyTagsFrom(project)
    copy(plan = made)
  }

  def under(parent: LogicalPlan): Landing[A] = copy(plan = parent.withNewChildren(Seq(plan)))
}

package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.plans.logical.{ExpressionLineage, StreamWindows}

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
private[plans] final case class WindowPushdown(
    keys: Seq[Expression],
    order: Seq[SortOrder],
    inputs: Option[AttributeMap[Expression]],
    toAnyOrder: Boolean = false
) {

  /**
   * Descends from the top of `plan`, and calls `merge` with three arguments: the first window that
   * has these keys and this order; this window in columns of the position below it; true if the
   * descent has passed other windows.
   */
  def into[A](plan: LogicalPlan, isPast: Boolean = false)(
      merge: (LogicalPlan, WindowPushdown, Boolean) => Option[PushdownResult[A]]
  ): Option[PushdownResult[A]] = plan match {
    case project @ Project(list, child) =>
      for {
        moved <- moveBelow(child)(ExpressionLineage.throughProject(_, list))
        result <- moved.into(child, isPast)(merge)
      } yield result.withProject(project)
    case SubqueryAlias(_, child) => into(child, isPast)(merge).map(_.withParent(plan))
    case view: View => into(view.child, isPast)(merge).map(_.withParent(plan))
    case WindowPushdown.WindowNode(targetKeys, targetOrder, child) =>
      moveBelow(child)(identity).flatMap { moved =>
        val isPlace =
          moved.hasKeys(targetKeys, child) && (toAnyOrder || moved.hasOrder(targetOrder, child))
        if (isPlace) merge(plan, moved, isPast)
        else moved.into(child, isPast = true)(merge).map(_.withParent(plan))
      }
    case _ => None
  }

  /** Returns true if the values of the order are equal, not only the order of the rows. */
  def hasValues(targetOrder: Seq[SortOrder], child: LogicalPlan): Boolean =
    order.zip(targetOrder).forall { case (o, p) =>
      ExpressionLineage(o.child, child).semanticEquals(ExpressionLineage(p.child, child))
    }

  private def moveBelow(child: LogicalPlan)(rewrite: Expression => Expression)
      : Option[WindowPushdown] = {
    def isComputable(e: Expression) = e.references.subsetOf(child.outputSet)
    val (newKeys, newOrder) =
      (
        keys.map(rewrite),
        order.map(o => o.copy(child = rewrite(o.child), sameOrderExpressions = Nil))
      )
    if (!(newKeys ++ newOrder).forall(isComputable)) None
    else {
      val read = inputs.map(_.map { case (known, e) => known -> rewrite(e) })
      Some(copy(
        newKeys,
        newOrder,
        read.filter(_.values.forall(isComputable)).map(all => AttributeMap(all.toSeq))
      ))
    }
  }

  private def hasKeys(targetKeys: Seq[Expression], child: LogicalPlan): Boolean = {
    val (a, b) =
      (keys.map(ExpressionLineage(_, child)), targetKeys.map(ExpressionLineage(_, child)))
    a.forall(k => b.exists(_.semanticEquals(k))) && b.forall(k => a.exists(_.semanticEquals(k)))
  }

  private def hasOrder(targetOrder: Seq[SortOrder], child: LogicalPlan): Boolean =
    order.size == targetOrder.size && order.zip(targetOrder).forall { case (o, p) =>
      o.direction == p.direction && o.nullOrdering == p.nullOrdering &&
      ExpressionLineage.time(ExpressionLineage(
        o.child,
        child
      )).semanticEquals(ExpressionLineage.time(ExpressionLineage(p.child, child)))
    }
}

private[plans] object WindowPushdown {

  /** Returns the descent of a window with these functions, at the top of its child. */
  def of(
      keys: Seq[Expression],
      order: Seq[SortOrder],
      functions: Seq[Expression]
  ): WindowPushdown = {
    val read = AttributeSet(functions).toSeq
    WindowPushdown(keys, order, Some(AttributeMap(read.map(a => a -> a))))
  }

  /** Returns the descent of a window to another window with these keys, in any order. */
  def ofKeys(keys: Seq[Expression]): WindowPushdown =
    WindowPushdown(keys, Nil, None, toAnyOrder = true)

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
private[plans] final case class PushdownResult[A](
    plan: LogicalPlan,
    columns: Seq[Attribute],
    outcome: A
) {
  def withProject(project: Project): PushdownResult[A] = {
    val carried = AttributeSet(columns)
    // A column that is computed below is not computed again.
    val list = project.projectList.map {
      case a: Alias if carried.contains(a.toAttribute) => a.toAttribute
      case other => other
    }
    val projected = AttributeSet(list.map(_.toAttribute))
    val made = Project(list ++ columns.filterNot(projected.contains), plan)
    made.copyTagsFrom(project)
    copy(plan = made)
  }

  def withParent(parent: LogicalPlan): PushdownResult[A] =
    copy(plan = parent.withNewChildren(Seq(plan)))
}

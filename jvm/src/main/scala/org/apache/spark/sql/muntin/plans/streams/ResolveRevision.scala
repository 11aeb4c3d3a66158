package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.CTE
import org.apache.spark.sql.muntin.expressions.Revision
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  GroupWindows,
  InlinedCtes,
  SelfAnchoredWindows,
  StreamWindows
}
import org.apache.spark.sql.muntin.spark.{JsonText, MuntinAnalysisException}

/**
 * When windows are placed, replaces revision() by a column of the nearest windows of a stream below
 * it. In a batch every result is final.
 *
 *     Project [k, n, revision()]            Project [k, n, r AS revision]
 *     +- Project [k, count AS n]     =>     +- Project [k, count AS n, r]
 *        +- GroupWindows                       +- GroupWindows, revision = r
 */
object ResolveRevision extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(GroupWindow.Pattern)) plan
    else {
      val lifted =
        inlined(plan).resolveOperatorsDownWithPruning(_.containsPattern(GroupWindow.Pattern)) {
          case windows: StreamWindows if windows.revision.isEmpty => lift(windows)
        }
      lifted.resolveOperatorsUpWithPruning(_.containsPattern(GroupWindow.Pattern)) {
        case project @ Project(list, child) if child.resolved && list.exists(readsRevision) =>
          withRevision(child).fold[LogicalPlan](project) { case (rows, column) =>
            Project(list.map(replaced(_, column)), rows)
          }
        case filter @ Filter(condition, child) if child.resolved && readsRevision(condition) =>
          withRevision(child).fold[LogicalPlan](filter) { case (rows, column) =>
            Project(child.output, Filter(replaced(condition, column), rows))
          }
      }
    }

  // The windows may be inside a CTE.
  private def inlined(plan: LogicalPlan): LogicalPlan = {
    def asks(node: LogicalPlan): Boolean =
      node.expressions.exists(readsRevision) || node.subqueries.exists(_.exists(asks))
    if (plan.containsPattern(CTE) && plan.exists(asks)) InlinedCtes(plan) else plan
  }

  private def readsRevision(expression: Expression): Boolean =
    expression.exists(_.isInstanceOf[Revision])

  private def replaced[E <: Expression](expression: E, column: Attribute): E =
    expression.transform { case _: Revision => column }.asInstanceOf[E]

  private def made: AttributeReference =
    AttributeReference(Revision.name, Revision.Type, nullable = false)()

  /** Returns the rows with the column of their windows; None if they are not rows of windows. */
  private def withRevision(rows: LogicalPlan): Option[(LogicalPlan, Attribute)] = rows match {
    case windows: GroupWindows if windows.isStreaming =>
      revised(windows.revision)(column => windows.copy(revision = Some(column)))
    case windows: StreamWindows =>
      revised(windows.revision)(column => windows.copy(revision = Some(column)))
    case windows: AnchoredWindows if windows.onStream.isDefined =>
      revised(windows.revision)(column => windows.copy(revision = Some(column)))
    case windows: SelfAnchoredWindows =>
      revised(windows.revision)(column => windows.copy(revision = Some(column)))
    case windows: GroupWindows => ofBatch(windows)
    case Project(list, child) =>
      withRevision(child).map { case (below, column) =>
        val isThere = list.exists(_.exprId == column.exprId)
        (Project(if (isThere) list else list :+ column, below), column)
      }
    case _: Filter | _: SubqueryAlias | _: View | _: Sort | _: ResolvedHint |
        _: RepartitionOperation =>
      withRevision(rows.children.head).map { case (below, column) =>
        (rows.withNewChildren(Seq(below)), column)
      }
    case _ => None
  }

  /** Returns the windows with their existing column, or with a new one. */
  private def revised(existing: Option[Attribute])(
      windows: Attribute => LogicalPlan
  ): Option[(LogicalPlan, Attribute)] = {
    val column = existing.getOrElse(made)
    Some((windows(column), column))
  }

  private def ofBatch(windows: GroupWindows): Option[(LogicalPlan, Attribute)] =
    Option.when(windows.plan.repeats.isEmpty) {
      val keysOfWindow = (windows.keys :+ windows.windowAttribute).map(a => a.name -> a)
      val value = CreateNamedStruct(Seq(
        Literal(Revision.Key),
        JsonText.key(keysOfWindow),
        Literal(Revision.Batch),
        Literal(0L),
        Literal(Revision.Kind),
        Literal(Revision.Final, Revision.Type(Revision.Kind).dataType)
      ))
      val column = Alias(value, Revision.name)()
      (Project(windows.output :+ column, windows), column.toAttribute)
    }

  /**
   * Spark computes the other expressions of a SELECT with window functions below their windows.
   * There revision() would be the revision of other windows.
   */
  private def lift(windows: StreamWindows): LogicalPlan = {
    val found = revisedColumns(windows.child)
    if (found.isEmpty) windows
    else {
      val column = made
      val lifted = windows.copy(
        child = without(windows.child, AttributeSet(found.map(_.toAttribute))),
        revision = Some(column)
      )
      val there = lifted.outputSet
      // An expression of columns that do not exist above stays below, and CheckRevision rejects it.
      if (!found.forall(e => replaced(e, column).references.subsetOf(there))) windows
      else Project(lifted.output.init ++ found.map(replaced(_, column)), lifted)
    }
  }

  private def revisedColumns(plan: LogicalPlan): Seq[NamedExpression] = plan match {
    case Project(list, child) => list.filter(readsRevision) ++ revisedColumns(child)
    case windows: StreamWindows => revisedColumns(windows.child)
    case _ => Nil
  }

  private def without(plan: LogicalPlan, columns: AttributeSet): LogicalPlan = plan match {
    case Project(list, child) =>
      Project(list.filterNot(e => columns.contains(e.toAttribute)), without(child, columns))
    case windows: StreamWindows => windows.copy(child = without(windows.child, columns))
    case other => other
  }
}

/** Rejects a revision() that ResolveRevision has left. */
object CheckRevision extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (plan.containsPattern(GroupWindow.Pattern)) plan.foreach { node =>
      if (node.expressions.exists(_.exists(_.isInstanceOf[Revision]))) throw misplaced(node)
    }

  private def misplaced(node: LogicalPlan): AnalysisException =
    new MuntinAnalysisException("MUNTIN_MISPLACED_REVISION", "operator" -> node.nodeName)
}

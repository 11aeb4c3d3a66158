package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedException,
  UnresolvedFunction
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{
  TreePattern,
  UNRESOLVED_ATTRIBUTE,
  UNRESOLVED_FUNCTION
}
import org.apache.spark.sql.muntin.plans.logical.GroupWindowColumn
import org.apache.spark.sql.types.DataType

/**
 * Before analysis, defers `window(w, …)`, `session_window(w, …)` and `window_time(w)` until it is
 * known whether the column is a Muntin window. Spark would resolve the name before the window has
 * its column.
 */
object WindowsOfWindows extends Rule[LogicalPlan] {
  private val functions = Set("window", "session_window", "window_time")

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case call: UnresolvedFunction if isOf(call) =>
        val isTime = !WindowCalls.isNamed(call, "window_time")
        val column = WindowOrTime(call.arguments.head, isTime)
        call.copy(arguments = column +: call.arguments.tail)
    }

  private def isOf(call: UnresolvedFunction): Boolean = functions(WindowCalls.nameOf(call)) &&
    call.arguments.headOption.exists(_.isInstanceOf[UnresolvedAttribute])
}

/** The column of such a call. With `isTime`, the call uses the column's time if it is a window. */
final case class WindowOrTime(child: Expression, isTime: Boolean)
    extends UnaryExpression
    with Unevaluable {
  override lazy val resolved: Boolean = false

  override val nodePatterns: Seq[TreePattern] = Seq(UNRESOLVED_ATTRIBUTE)

  override def dataType: DataType = throw new UnresolvedException("dataType")

  override def sql: String = child.sql

  override def toString: String = child.toString

  override protected def withNewChildInternal(newChild: Expression): WindowOrTime =
    copy(child = newChild)
}

/** Resolves the deferred calls once the upstream windows have their columns. */
object ResolveWindowsOfWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNRESOLVED_ATTRIBUTE)) {
      case node if node.childrenResolved =>
        node.transformExpressionsUpWithPruning(_.containsPattern(UNRESOLVED_ATTRIBUTE)) {
          case WindowOrTime(column: Attribute, isTime) if column.resolved =>
            // The child's column has the window's metadata; the name may have been resolved before.
            val known =
              node.children.flatMap(_.output).find(_.exprId == column.exprId).getOrElse(column)
            if (isTime && GroupWindowColumn.isOwn(known)) WindowTime(known) else known
          case WindowOrTime(other, _) if other.resolved => other
        }
    }
}

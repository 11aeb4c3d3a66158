package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, UnaryNode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.GroupWindowPlan
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, GroupWindow}
import org.apache.spark.sql.muntin.spark.{GroupBy, StatefulNode}

/**
 * Aggregates over the windows of groups. The output has one row for each group of `keys` and each
 * of its windows, with the keys, the window (`windowAttribute`) and the `results` of the functions.
 *
 * On a stream `revision` is the requested column for the result that a row revises.
 *
 * `globalValue` is the value that the window computes from the rows of all groups
 * (GroupWindowPlan.ofAllGroups), if `child` no longer has all rows. Otherwise it is None, and is
 * computed when the node is planned.
 */
final case class GroupWindows(
    keys: Seq[Attribute],
    plan: GroupWindowPlan,
    windowAttribute: Attribute,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    globalValue: Option[Expression],
    child: LogicalPlan,
    revision: Option[Attribute] = None
) extends UnaryNode
    with AggregateWindows
    with StatefulNode {
  def window: GroupWindow = plan.window

  override def output: Seq[Attribute] = (keys :+ windowAttribute) ++ results ++ revision

  override def producedAttributes: AttributeSet =
    AttributeSet((windowAttribute +: results) ++ revision)

  // See StreamWindows.
  override protected def hasState: Boolean = child.isStreaming && MuntinConf.isByGroup(SQLConf.get)

  /**
   * On a stream, returns n if windows are cut at the start of every n-th row of all groups. Another
   * operator counts the rows.
   */
  def marks: Option[Int] =
    if (isStreaming && keys.nonEmpty) plan.marks else None

  /**
   * Returns the value that the window needs from all of these rows. A stream uses the watermark
   * instead.
   */
  def ofAllGroups(rows: LogicalPlan, id: ExprId): Option[Expression] =
    if (isStreaming) None
    else {
      plan.ofAllGroups.map { function =>
        val value = Alias(function.toAggregateExpression(), "known")()
        ScalarSubquery(GroupBy(Nil, Seq(value), rows), exprId = id)
      }
    }

  override def only(functions: Seq[GroupAggregate], results: Seq[Attribute]): GroupWindows =
    copy(functions = functions, results = results)

  // On a stream with marks, the rows of all groups are counted, so no group is filtered out.
  override def filtered: AttributeSet = AttributeSet(if (marks.isDefined) Nil else keys)

  override def where(condition: Expression): GroupWindows = copy(
    globalValue = globalValue.orElse(ofAllGroups(child, NamedExpression.newExprId)),
    child = Filter(condition, child)
  )

  override protected def withNewChildInternal(newChild: LogicalPlan): GroupWindows =
    copy(child = newChild)
}

/**
 * Under an Aggregate: the child's rows with a column for the window, which replaces the marker in
 * the query's expressions. PlaceGroupWindows removes both.
 */
final case class AssignWindows(plan: GroupWindowPlan, attribute: Attribute, child: LogicalPlan)
    extends UnaryNode {
  def window: GroupWindow = plan.window

  override def output: Seq[Attribute] = child.output :+ attribute

  override def producedAttributes: AttributeSet = AttributeSet(attribute)

  override protected def withNewChildInternal(newChild: LogicalPlan): AssignWindows =
    copy(child = newChild)
}

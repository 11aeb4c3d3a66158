package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.{Affected, Refresh}
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.refresh.{RefreshAction, RefreshRequest, UnresolvedRefresh}

/**
 * The table functions refresh and affected. They return a node over their tables, until they are
 * analyzed.
 */
object RefreshFunction {
  def refresh(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Refresh.name)
    val values = Refresh.inOrder(arguments)
    val isDryRun = read.flag("dry_run", values(4))
    node(
      read,
      values,
      if (isDryRun) RefreshAction.Count else RefreshAction.Replace,
      read.expression(values(5)).map(read.flag("full", _))
    )
  }

  def affected(arguments: Seq[Expression]): LogicalPlan = {
    val values = Affected.inOrder(arguments)
    node(new Arguments(Affected.name), values, RefreshAction.List, isWhole = Some(false))
  }

  private def node(
      read: Arguments,
      values: Seq[Expression],
      action: RefreshAction,
      isWhole: Option[Boolean]
  ): LogicalPlan = {
    val tables = new TableArguments(read, None, PartialFunction.empty)
    UnresolvedRefresh(
      tables.table("query", values(0)) +:
        read.expression(values(2)).map(tables.table("changes", _)).toSeq,
      RefreshRequest(
        read.path("target", values(1), "the name of a table"),
        read.expression(values(3)).map(read.path("source", _, "the name of a table")),
        action,
        isWhole
      )
    )
  }
}

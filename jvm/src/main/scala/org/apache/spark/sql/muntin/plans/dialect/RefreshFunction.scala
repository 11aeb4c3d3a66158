package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.Refresh
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.refresh.{RefreshRequest, UnresolvedRefresh}

/** The table function refresh. Returns a node over its tables, until they are analyzed. */
object RefreshFunction {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Refresh.name)
    val values = Refresh.inOrder(arguments)
    val tables = new TableArguments(read, None, PartialFunction.empty)
    UnresolvedRefresh(
      tables.table("query", values(0)) +:
        read.expression(values(2)).map(tables.table("changes", _)).toSeq,
      RefreshRequest(
        read.path("target", values(1), "the name of a table"),
        read.expression(values(3)).map(read.path("source", _, "the name of a table")),
        read.flag("dry_run", values(4)),
        read.expression(values(5)).map(read.flag("full", _))
      )
    )
  }
}

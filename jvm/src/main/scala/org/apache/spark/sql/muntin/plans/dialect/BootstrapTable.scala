package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.Bootstrap
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.UnresolvedBootstrap

/** The table function bootstrap. Returns a node over its tables, until they are analyzed. */
object BootstrapTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val read = new Arguments(Bootstrap.name)
    val values = Bootstrap.inOrder(arguments)
    val folder = read.path("checkpoint", values(2), "the path of a checkpoint")
    val tables = new TableArguments(read, None, PartialFunction.empty)
    // The others are the histories of further sources.
    val further = Bootstrap.Histories.zip(values.drop(3)).flatMap { case (parameter, value) =>
      read.expression(value).map(tables.table(parameter, _))
    }
    UnresolvedBootstrap(
      Seq(tables.table("query", values(0)), tables.table("history", values(1))) ++ further,
      folder,
      read.expression(values.last).map(read.path("after", _, "the path of a checkpoint"))
    )
  }
}

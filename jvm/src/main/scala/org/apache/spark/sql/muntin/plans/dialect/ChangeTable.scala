package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.{Change, Compare}
import org.apache.spark.sql.muntin.expressions.common.{Arguments, SqlFunction}
import org.apache.spark.sql.muntin.plans.logical.UnresolvedChange

/**
 * The table functions compare and change. They return a node over the query, until it is analyzed.
 */
object ChangeTable {
  def compare(arguments: Seq[Expression]): LogicalPlan = {
    val values = Compare.inOrder(arguments)
    val read = new ChangeTable(Compare)
    UnresolvedChange(
      read.query(values(0)),
      read.folder("checkpoint", values(1)),
      None,
      allowsIncomplete = false
    )
  }

  def change(arguments: Seq[Expression]): LogicalPlan = {
    val values = Change.inOrder(arguments)
    val read = new ChangeTable(Change)
    UnresolvedChange(
      read.query(values(0)),
      read.folder("checkpoint", values(1)),
      Some(read.folder("to", values(2))),
      read.flag("incomplete", values(3))
    )
  }
}

private final class ChangeTable(function: SqlFunction) {
  private val read = new Arguments(function.name)

  def query(argument: Expression): LogicalPlan =
    new TableArguments(read, None, PartialFunction.empty).table("query", argument)

  def folder(parameter: String, argument: Expression): String =
    read.text(parameter, argument).filter(_.trim.nonEmpty).getOrElse {
      throw read.invalidValue(parameter, argument, "the path of a folder")
    }

  def flag(parameter: String, argument: Expression): Boolean = read.flag(parameter, argument)
}

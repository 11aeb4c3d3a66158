package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.{Change, Compare}
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.UnresolvedChange

/**
 * The table functions compare and change. They return a node over the query, until it is analyzed.
 */
object ChangeTable {
  def compare(arguments: Seq[Expression]): LogicalPlan = {
    val values = Compare.inOrder(arguments)
    node(new Arguments(Compare.name), values, None, allowsIncomplete = false)
  }

  def change(arguments: Seq[Expression]): LogicalPlan = {
    val values = Change.inOrder(arguments)
    val read = new Arguments(Change.name)
    val to = read.path("to", values(2), Folder)
    node(read, values, Some(to), read.flag("incomplete", values(3)))
  }

  private val Folder = "the path of a folder"

  private def node(
      read: Arguments,
      values: Seq[Expression],
      to: Option[String],
      allowsIncomplete: Boolean
  ): LogicalPlan = UnresolvedChange(
    new TableArguments(read, None, PartialFunction.empty).table("query", values(0)),
    read.path("checkpoint", values(1), Folder),
    to,
    allowsIncomplete,
    read.expression(values.last)
      .map(read.word("output_mode", _, Seq("append", "update")) == "update")
  )
}

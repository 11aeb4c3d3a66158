package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.{Change, Compare}
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.plans.logical.UnresolvedChange
import org.apache.spark.sql.muntin.streaming.ChangeRequest

/**
 * The table functions compare and change. They return a node over the query, until it is analyzed.
 */
object ChangeTable {
  def compare(arguments: Seq[Expression]): LogicalPlan = {
    val values = Compare.inOrder(arguments)
    val read = new Arguments(Compare.name)
    node(read, values.head) {
      ChangeRequest(
        folder(read, "checkpoint", values(1)),
        None,
        allowsIncomplete = false,
        outputsUpdates(read, values(2)),
        read.names("renamed", values(3))
      )
    }
  }

  def change(arguments: Seq[Expression]): LogicalPlan = {
    val values = Change.inOrder(arguments)
    val read = new Arguments(Change.name)
    node(read, values.head) {
      ChangeRequest(
        folder(read, "checkpoint", values(1)),
        Some(folder(read, "to", values(2))),
        read.flag("incomplete", values(3)),
        outputsUpdates(read, values(4)),
        read.names("renamed", values(5))
      )
    }
  }

  private def folder(read: Arguments, parameter: String, value: Expression): String =
    read.path(parameter, value, "the path of a folder")

  private def outputsUpdates(read: Arguments, mode: Expression): Option[Boolean] =
    read.expression(mode).map(read.word("output_mode", _, Seq("append", "update")) == "update")

  private def node(read: Arguments, query: Expression)(request: => ChangeRequest): LogicalPlan = {
    val table = new TableArguments(read, None, PartialFunction.empty).table("query", query)
    UnresolvedChange(table, request)
  }
}

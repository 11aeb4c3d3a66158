package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.muntin.expressions.{Resample, ResampleCall}
import org.apache.spark.sql.muntin.expressions.common.Arguments
import org.apache.spark.sql.muntin.spark.{ArgumentsInOrder, GroupBy}

/** The table function resample. Returns the same query as DataFrame code. */
object ResampleTable {
  def apply(arguments: Seq[Expression]): LogicalPlan = {
    val parameters = Resample.parameters
    val values = ArgumentsInOrder(Resample.name, parameters, arguments)
    val read = new Arguments(Resample.name)
    val tables = this.tables(read)
    val rows = tables.table("rows", values.head)
    val call = Alias(ResampleCall(values.tail), Resample.name)()
    read.expression(values(parameters.indexWhere(_.name == "aggregates"))) match {
      case None => Project(Seq(call), rows)
      case Some(list) =>
        UnresolvedRules(GroupBy(Nil, call +: tables.list("aggregates", list), rows))
    }
  }

  private[plans] def tables(read: Arguments): TableArguments = new TableArguments(
    read,
    Some("by => 'k'"),
    {
      case "aggregates" => "avg(x) AS mean, count(*) AS n"
      case "time" => "t"
      case "by" => "k, l"
      case _ => "x, y"
    }
  )
}

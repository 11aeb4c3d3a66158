package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.{DataFrameDropColumns, LogicalPlan, Project}

/** Projects an expression, followed by all columns except one, before they are resolved. */
object ReplacedColumn {
  def apply(column: String, before: NamedExpression, rows: LogicalPlan): LogicalPlan =
    DataFrameDropColumns(
      Seq(UnresolvedAttribute(Seq(column))),
      Project(Seq(before, UnresolvedStar(None)), rows)
    )
}

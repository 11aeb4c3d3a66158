package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

private[refresh] object RowsOf {

  /** Returns `rows` as rows of a table: each column of the table has the value of `find`. */
  def apply(table: LogicalPlan, rows: LogicalPlan)(find: Attribute => Attribute): LogicalPlan =
    Project(
      table.output.map { column =>
        Alias(find(column), column.name)(exprId = column.exprId, qualifier = column.qualifier)
      },
      rows
    )
}

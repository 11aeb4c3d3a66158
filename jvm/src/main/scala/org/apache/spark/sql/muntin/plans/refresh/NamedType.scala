package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.DataType

/** The name and type of a column. Fields of a struct may be null in a table, but not in a query. */
private[refresh] object NamedType {
  def of(column: Attribute): (String, DataType) = column.name -> column.dataType.asNullable
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  CreateNamedStruct,
  Expression,
  GetStructField
}
import org.apache.spark.sql.muntin.spark.CastTo

/**
 * Matches a column, also under casts to its type, which views have, and in a struct that is taken
 * apart.
 */
private[refresh] object SameColumn {
  def unapply(expression: Expression): Option[Attribute] = expression match {
    case column: Attribute => Some(column)
    case CastTo(SameColumn(column), dataType) if dataType == column.dataType => Some(column)
    case GetStructField(struct: CreateNamedStruct, i, _) => unapply(struct.valExprs(i))
    case _ => None
  }
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.muntin.spark.CastTo

/** Matches a column, also under casts to its type, which views have. */
private[refresh] object SameColumn {
  def unapply(expression: Expression): Option[Attribute] = expression match {
    case column: Attribute => Some(column)
    case CastTo(SameColumn(column), dataType) if dataType == column.dataType => Some(column)
    case _ => None
  }
}

package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.IntegerType

/** A foldable integer. */
private[execution] object IntegerValue {
  def unapply(expression: Expression): Option[Int] =
    if (expression.foldable && expression.dataType == IntegerType) {
      Option(expression.eval()).map(_.asInstanceOf[Int])
    } else None
}

package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.IntegralType

/** The value of an integer that is known before the query runs. */
private[muntin] object KnownInteger {
  def unapply(expression: Expression): Option[Long] =
    if (!expression.resolved || !expression.foldable) None
    else if (!expression.dataType.isInstanceOf[IntegralType]) None
    else Option(expression.eval()).map(_.asInstanceOf[Number].longValue)

  /** A number of rows as an INT: no partition has more rows than that. */
  def ofRows(rows: Long): Int =
    math.max(-Int.MaxValue.toLong, math.min(rows, Int.MaxValue.toLong)).toInt
}

package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.IntegralType

/** Extracts the value of an integer that is known before the query runs. */
private[muntin] object KnownInteger {
  def unapply(expression: Expression): Option[Long] =
    if (!expression.resolved || !expression.foldable) None
    else if (!expression.dataType.isInstanceOf[IntegralType]) None
    else Option(expression.eval()).map(_.asInstanceOf[Number].longValue)

  /** Returns a number of rows as an INT: no partition has more rows. */
  def ofRows(rows: Long): Int =
    math.max(-Int.MaxValue.toLong, math.min(rows, Int.MaxValue.toLong)).toInt
}

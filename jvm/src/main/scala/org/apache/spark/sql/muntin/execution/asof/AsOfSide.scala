package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.muntin.expressions.common.ExpressionRecord

/** One side of an as-of join: its keys and its time, which are columns when the join is planned. */
final case class AsOfSide(keys: Seq[Expression], time: Expression) extends ExpressionRecord {
  def timeColumn: Attribute = time.asInstanceOf[Attribute]
}

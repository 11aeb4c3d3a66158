package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.ExpressionRecord

/** One side of an as-of join: its keys and its time, which are columns when the join is planned. */
final case class AsOfSide(keys: Seq[Expression], time: Expression) extends ExpressionRecord {

  /** Returns the order of its rows. */
  def order: Seq[SortOrder] = (keys :+ time).map(SortOrder(_, Ascending))

  def keyColumns: Seq[Attribute] = keys.map(_.asInstanceOf[Attribute])

  def timeColumn: Attribute = time.asInstanceOf[Attribute]
}

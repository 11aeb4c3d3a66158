package org.apache.spark.sql.muntin.expressions.internal

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.expressions.common.SqlFunction

/**
 * The pane of a row, for the windows of `function`. Throws InvalidWindowRowException for a row that
 * is in no window.
 */
trait Pane extends Expression {
  def function: SqlFunction
}

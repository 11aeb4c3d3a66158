package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Which pane a row is in, of the windows of `function`. It throws UnfitRow where a row is in no
 * window.
 */
trait Pane extends Expression {
  def function: SqlFunction
}

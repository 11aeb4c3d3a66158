package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.expressions.AsOf
import org.apache.spark.sql.muntin.expressions.common.ExpressionRecord

/**
 * Which rows of the right side a row of the left side may match: rows before its time, after it, or
 * both, no farther than `start` and `end` if these are given. `strict` excludes a row at the exact
 * time; `open` excludes a row at the exact `start` or `end`.
 */
final case class AsOfReach(
    direction: String,
    strict: Boolean,
    start: Option[Expression],
    end: Option[Expression],
    open: Boolean = false
) extends ExpressionRecord {
  def takesBefore: Boolean = direction != AsOf.Forward

  def takesAfter: Boolean = direction != AsOf.Backward
}

package org.apache.spark.sql.muntin.execution.anchored

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.expressions.common.ExpressionRecord

/**
 * The window of each anchor: the rows whose `time` is between the anchor's `start` and `end`.
 * `closed` names the ends that belong to it: both, left, right or neither.
 */
final case class AnchorBounds(time: Attribute, start: Attribute, end: Attribute, closed: String)
    extends ExpressionRecord {
  def withStart: Boolean = closed == "both" || closed == "left"

  def withEnd: Boolean = closed == "both" || closed == "right"

  /** Returns the window as EXPLAIN shows it. */
  def text: String =
    s"$time in ${if (withStart) "[" else "("}$start, $end${if (withEnd) "]" else ")"}"
}

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.muntin.execution.split.RequiredMatches

/**
 * The way from a row to the last row that a window reads, in the order of time: the greatest of
 *
 *     time     a length on the time axis (`TimeAxis`)
 *     rows     for each RowsWhere(condition, n): the way to the n-th next row for which the
 *              condition is true
 *     gap      the way to the end of a session: over rows whose consecutive times are at most this
 *              length apart
 */
private[refresh] final case class Distance(
    time: Double,
    rows: Seq[RowsWhere] = Nil,
    gap: Option[Double] = None
) {
  def max(other: Distance): Distance = Distance(
    math.max(time, other.time),
    RequiredMatches.most(rows ++ other.rows),
    (gap ++ other.gap).maxOption
  )

  /** Returns true if the distance depends on the rows of the key. */
  def readsRows: Boolean = rows.nonEmpty || gap.isDefined

  /** Returns the distance with other conditions; None if one of them has no replacement. */
  def mapConditions(change: Expression => Option[Expression]): Option[Distance] = {
    val changed = rows.flatMap(r => change(r.condition).map(c => r.copy(condition = c)))
    Option.when(changed.size == rows.size)(copy(rows = changed))
  }

  def conditions: Seq[Expression] = rows.map(_.condition)
}

private[refresh] object Distance {
  val Zero: Distance = Distance(0.0)
}

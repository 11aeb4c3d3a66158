package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.FrameBetween

/**
 * How far from a row, in the order of time, the rows are that the windows of one operator read:
 * `behind` before it and `ahead` after it. None if the distance is unknown. A distance may be too
 * large: then a refresh computes more results than necessary.
 *
 *     RANGE BETWEEN 7 PRECEDING AND 2 FOLLOWING     behind = 7 of time, ahead = 2 of time
 *     a changed row at 100                          affects results from 98 to 107,
 *                                                   which read rows from 91 to 109
 *     ROWS 9 PRECEDING                              behind = 9 rows, ahead = 0
 *     a changed row at 100                          affects its result and the next 9,
 *                                                   which read the 9 rows before
 *
 * @param operator
 *   the window or the operator, for messages
 */
private[refresh] final case class Reach(
    behind: Option[Distance],
    ahead: Option[Distance],
    operator: String = ""
) {

  /** Returns the reach of windows that have one or the other. */
  def or(other: Reach): Reach = Reach(
    for (mine <- behind; others <- other.behind) yield mine.max(others),
    for (mine <- ahead; others <- other.ahead) yield mine.max(others),
    if (isBounded) other.operator else operator
  )

  def isBounded: Boolean = behind.isDefined && ahead.isDefined

  def readsRows: Boolean = (behind ++ ahead).exists(_.rows > 0)

  /** Returns the reach if rows cannot be counted. */
  def withoutRows: Reach =
    copy(behind = behind.filter(_.rows == 0), ahead = ahead.filter(_.rows == 0))
}

private[refresh] object Reach {

  /** Each result reads its own row. */
  val OwnRow: Reach = Reach(Some(Distance.Zero), Some(Distance.Zero))

  val WholeKey: Reach = Reach(None, None)

  /** Returns the reach of a frame over rows in ascending order of a time. */
  def of(frame: WindowFrame, axis: TimeAxis): Reach = frame match {
    case FrameBetween(kind, lower, upper) =>
      Reach(distance(kind, lower, -1, axis), distance(kind, upper, 1, axis))
    case _ => WholeKey
  }

  /** Returns the distance from a row to a bound, in the `direction` of the bound. */
  private def distance(
      kind: FrameType,
      bound: Expression,
      direction: Int,
      axis: TimeAxis
  ): Option[Distance] = bound match {
    case CurrentRow => Some(Distance.Zero)
    case UnboundedPreceding => if (direction > 0) Some(Distance.Zero) else None
    case UnboundedFollowing => if (direction < 0) Some(Distance.Zero) else None
    case offset if !offset.foldable => None
    case offset if kind == RangeFrame => axis.distance(offset, direction).map(Distance(_, 0))
    case rows =>
      rows.eval() match {
        case n: Int => Some(Distance(0.0, math.max(0, n * direction)))
        case _ => None
      }
  }
}

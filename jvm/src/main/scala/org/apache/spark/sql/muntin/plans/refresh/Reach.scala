package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.FrameBetween

/**
 * How far from a row, in the order of time, the rows are that its windows read: at most `behind`
 * before it and `ahead` after it, on the time axis (`TimeAxis`). None if the distance is unknown.
 * A distance may be too large: then a refresh computes more results than necessary.
 *
 *     RANGE BETWEEN 7 PRECEDING AND 2 FOLLOWING     behind = 7, ahead = 2
 *     a changed row at 100                          affects results from 98 to 107,
 *                                                   which read rows from 91 to 109
 *     ROWS 9 PRECEDING                              behind = None, ahead = 0
 *     a changed row at 100                          affects results from 100 on,
 *                                                   which read all rows of the key
 */
private[refresh] final case class Reach(behind: Option[Double], ahead: Option[Double]) {

  /** Returns the reach of windows with `other` over the results of windows with this reach. */
  def and(other: Reach): Reach = combined(other)(_ + _)

  /** Returns the reach of windows that have one or the other. */
  def or(other: Reach): Reach = combined(other)(math.max(_, _))

  private def combined(other: Reach)(of: (Double, Double) => Double): Reach = Reach(
    for (mine <- behind; others <- other.behind) yield of(mine, others),
    for (mine <- ahead; others <- other.ahead) yield of(mine, others)
  )
}

private[refresh] object Reach {

  /** Each result reads its own row. */
  val OwnRow: Reach = Reach(Some(0.0), Some(0.0))

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
  ): Option[Double] = bound match {
    case CurrentRow => Some(0.0)
    case UnboundedPreceding => if (direction > 0) Some(0.0) else None
    case UnboundedFollowing => if (direction < 0) Some(0.0) else None
    case offset if !offset.foldable => None
    case offset if kind == RangeFrame => axis.distance(offset, direction)
    case rows =>
      // A number of rows is not a distance, but zero is.
      rows.eval() match {
        case n: Int if n * direction <= 0 => Some(0.0)
        case _ => None
      }
  }
}

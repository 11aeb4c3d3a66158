package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.{FieldKind, FieldWindow, Sessions}
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.types._

/**
 * GROUP BY windows whose results have the start of the window as their time.
 *
 *     tumble(t, '1 hour')     a changed row at 10:20 affects the windows that start from 9:20 to
 *                             10:20, which read rows from 9:20 to 11:20
 *     sessions(t, 30)         a changed row at 100 affects the sessions that start between the last
 *                             gap before it and the next one after it
 *
 * @param time
 *   the time of the rows
 */
private[refresh] final case class WindowStart(time: Attribute, reach: Reach)

private[refresh] object WindowStart {

  /** The place of the start in the column of a window. */
  val Ordinal: Int = 0

  /** Returns None if other windows of the key may depend on a row. */
  def of(window: GroupWindow): Option[WindowStart] = for {
    time <- Some(window.order.head.child).collect { case a: Attribute => a }
    axis <- TimeAxis.of(time.dataType)
    if window.dataType(Ordinal).dataType == time.dataType
    reach <- reachOf(window, time.dataType, axis)
  } yield WindowStart(time, reach)

  private def reachOf(window: GroupWindow, time: DataType, axis: TimeAxis): Option[Reach] =
    window match {
      case field: FieldWindow if field.kind != FieldKind.Along =>
        for {
          size <- field.steps.size
          length <- axis.distance(offset(size, field, time), 1)
        } yield Reach(Some(Distance.Zero), Some(Distance(length)))
      case sessions: Sessions =>
        axis.gap(sessions.gap).map { gap =>
          val session = Some(Distance(0.0, gap = Some(gap)))
          Reach(session, session)
        }
      case _ => None
    }

  /** Returns the size of a window as the offset of a RANGE frame. */
  private def offset(size: BigDecimal, window: FieldWindow, time: DataType): Literal =
    (window.calendar, time) match {
      case (Some(calendar), _) if calendar.isMonths =>
        Literal(size.toIntExact, YearMonthIntervalType())
      case (Some(_), TimestampType | TimestampNTZType) =>
        Literal(TimeAxis.MicrosOfDay.toLong * size.toLongExact, DayTimeIntervalType())
      case (None, TimestampType | TimestampNTZType) =>
        Literal(size.setScale(0, BigDecimal.RoundingMode.CEILING).toLong, DayTimeIntervalType())
      case (_, DateType) =>
        Literal(size.setScale(0, BigDecimal.RoundingMode.CEILING).toIntExact, IntegerType)
      case _ => Literal(size.toDouble)
    }
}

package org.apache.spark.sql.muntin.plans.checks

import org.apache.spark.sql.catalyst.expressions.{CurrentRow, Expression}
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverClause}
import org.apache.spark.sql.types.{CalendarIntervalType, Decimal}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Warns of a frame that begins after the current row and has no end. SQLstream reads it as all rows
 * up to this distance, but in SQL it ends at the current row and is always empty:
 *
 *     RANGE INTERVAL 1 MINUTE FOLLOWING    is RANGE BETWEEN INTERVAL 1 MINUTE FOLLOWING
 *                                                       AND CURRENT ROW
 */
object WarnEmptyFrames extends FrameWarning("MUNTIN_EMPTY_FRAME") {
  override protected def warnings(expression: Expression): Seq[Map[String, String]] =
    expression.collect {
      case OverClause(_, _, frame @ FrameBetween(_, distance, CurrentRow))
          if isAfterRow(distance) =>
        Map("frame" -> frame.sql, "distance" -> distance.sql)
    }

  private def isAfterRow(distance: Expression): Boolean =
    distance.foldable && distance.resolved && (distance.eval() match {
      case i: CalendarInterval if distance.dataType == CalendarIntervalType =>
        i.months >= 0 && i.days >= 0 && i.microseconds >= 0L && i != new CalendarInterval(0, 0, 0L)
      case d: Decimal => d > Decimal.ZERO
      case n: Number => n.doubleValue > 0.0
      case _ => false
    })
}

package org.apache.spark.sql.muntin.plans.checks

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, RangeFrame, UnaryMinus}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverClause}
import org.apache.spark.sql.types.{DayTimeIntervalType, NumericType, YearMonthIntervalType}

/**
 * Warns of a RANGE frame of an interval over an order by a number. Spark casts the interval to a
 * number of its last unit: `INTERVAL '1' HOUR` over seconds since 1970 is one second.
 */
object WarnIntervalsOfNumbers extends FrameWarning("MUNTIN_INTERVAL_FRAME_OVER_NUMBERS") {
  override protected def warnings(expression: Expression): Seq[Map[String, String]] =
    expression.collect { case OverClause(_, order, FrameBetween(RangeFrame, lower, upper)) =>
      for {
        cast <- Seq(lower, upper).flatMap(_.collectFirst(intervalAsNumber))
        by <- order.headOption.map(_.child)
      } yield Map(
        "interval" -> cast.child.sql,
        "number" -> s"${cast.eval()}",
        "order" -> toPrettySQL(by),
        "type" -> by.dataType.sql
      )
    }.flatten

  // PRECEDING is the negative interval.
  private val intervalAsNumber: PartialFunction[Expression, Cast] = {
    case cast: Cast if isImplicit(cast) && isInterval(cast.child) && cast.foldable =>
      cast.child match {
        case negative: UnaryMinus => cast.copy(child = negative.child)
        case _ => cast
      }
  }

  private def isImplicit(cast: Cast): Boolean =
    cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty && cast.dataType.isInstanceOf[NumericType]

  private def isInterval(expression: Expression): Boolean = expression.dataType match {
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }
}

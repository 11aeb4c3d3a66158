package org.apache.spark.sql.muntin.plans.checks

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, RangeFrame, UnaryMinus}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverClause}
import org.apache.spark.sql.types.{DayTimeIntervalType, NumericType, YearMonthIntervalType}

/**
 * Warns of a RANGE frame of an interval over an order by a number. Spark casts the interval to a
 * number of its last unit: `INTERVAL '1' HOUR` over seconds since 1970 is one second.
 */
object WarnIntervalsOfNumbers extends FrameWarning("interval.of.numbers") {
  override protected def warnings(expression: Expression): Seq[String] =
    expression.collect { case OverClause(_, order, FrameBetween(RangeFrame, lower, upper)) =>
      for {
        cast <- Seq(lower, upper).flatMap(_.collectFirst(intervalAsNumber))
        by <- order.headOption.map(_.child)
      } yield s"RANGE `${cast.child.sql}` is the number ${cast.eval()} here: Spark casts an " +
        s"interval to the type of the order, and `${toPrettySQL(by)}` is a " +
        s"${by.dataType.sql}. Write the distance as a number in the units of " +
        s"`${toPrettySQL(by)}`, or order by a timestamp, such as " +
        s"timestamp_seconds(${toPrettySQL(by)})"
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

package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.SessionGap
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Maps the times of a type to doubles, in their order. Distances are rounded up: days and months
 * have different lengths, and doubles have 53 bits.
 */
private[refresh] final class TimeAxis(dataType: DataType) {
  import TimeAxis._

  /** Returns the place of a time. */
  def place(time: Expression): Expression = dataType match {
    case TimestampType => Cast(UnixMicros(time), DoubleType)
    case TimestampNTZType => Cast(UnixMicros(Cast(time, TimestampType)), DoubleType)
    case DateType => Cast(UnixDate(time), DoubleType)
    case _ => Cast(time, DoubleType)
  }

  /** Returns the time of a place; null before the first and after the last time. */
  def time(place: Expression): Expression = {
    val units = Cast(place, LongType)
    val known = dataType match {
      case TimestampType => MicrosToTimestamp(units)
      case TimestampNTZType => Cast(MicrosToTimestamp(units), TimestampNTZType)
      case DateType => DateFromUnixDate(Cast(place, IntegerType))
      case _ => Cast(place, dataType)
    }
    val isKnown = LessThan(Abs(place), Literal(Double.PositiveInfinity))
    If(isKnown, known, Literal(null, dataType))
  }

  /**
   * Returns conditions that every time between two places satisfies, in a form that Spark compares
   * with the statistics of files.
   */
  def between(time: Expression, least: Double, greatest: Option[Double]): Seq[Expression] = {
    def literal(place: Double) = dataType match {
      case TimestampType | TimestampNTZType => Literal(place.toLong, dataType)
      case DateType => Literal(place.toInt, dataType)
      case _ => Literal(place)
    }
    // Doubles round times, and a time without a zone has another place in each zone.
    val rounding = dataType match {
      case TimestampType => MicrosOfSecond
      case TimestampNTZType => 2 * MicrosOfDay
      case DateType => 1.0
      case _ => 0.0
    }
    val compared = dataType match {
      case _: NumericType => place(time)
      case _ => time
    }
    GreaterThanOrEqual(compared, literal(least - rounding)) +:
      greatest.map(g => LessThanOrEqual(compared, literal(g + rounding))).toSeq
  }

  /** Returns the distance to a bound of a RANGE frame in a direction; 0 if it is the opposite. */
  def distance(offset: Expression, direction: Int): Option[Double] =
    Option(offset.eval()).flatMap { value =>
      offset.dataType match {
        case _: DayTimeIntervalType => Some(micros(value.asInstanceOf[Long].toDouble))
        case _: YearMonthIntervalType => Some(micros(value.asInstanceOf[Int] * MicrosOfMonth))
        case CalendarIntervalType =>
          val interval = value.asInstanceOf[CalendarInterval]
          Some(micros(
            interval.months * MicrosOfMonth + interval.days * MicrosOfDay +
              interval.microseconds.toDouble
          ))
        case _: DecimalType => Some(value.asInstanceOf[Decimal].toDouble)
        case _ => Some(value).collect { case n: Number => n.doubleValue }
      }
    }.filter(!_.isNaN).map { toward =>
      math.max(0.0, toward * direction * Slack + slack(toward, offset.dataType))
    }

  /** Returns the gap of a session as a length; None if distances of times are not exact. */
  def gap(session: SessionGap): Option[Double] = dataType match {
    case TimestampNTZType => Some(session.length.toDouble + MicrosOfDay)
    case TimestampType | DateType => Some(session.length.toDouble)
    case _: NumericType => Some(session.length.toDouble * Slack)
    case _ => None
  }

  private def micros(length: Double): Double =
    if (dataType == DateType) length / MicrosOfDay else length

  // Days of a time zone may be a day longer, and months have up to 31 days.
  private def slack(length: Double, offset: DataType): Double = dataType match {
    case TimestampType if math.abs(length) < MicrosOfDay => MicrosOfSecond
    case TimestampType | TimestampNTZType => 2 * MicrosOfDay
    case DateType if offset == IntegerType || offset.isInstanceOf[DayTimeIntervalType] => 0.0
    case DateType => 2.0
    case _ => math.abs(length) * 1e-9
  }
}

private[refresh] object TimeAxis {
  private val MicrosOfSecond = 1e6
  val MicrosOfDay: Double = 86400e6
  private val MicrosOfMonth = 31 * MicrosOfDay
  private val Slack = 1.0 + 1e-9

  /** Returns the axis of a type; None if its order is not the order of doubles. */
  def of(dataType: DataType): Option[TimeAxis] = dataType match {
    case TimestampType | TimestampNTZType | DateType => Some(new TimeAxis(dataType))
    case _: NumericType => Some(new TimeAxis(dataType))
    case _ => None
  }
}

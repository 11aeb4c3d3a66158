package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.{MICROS_PER_DAY, MICROS_PER_SECOND}
import org.apache.spark.sql.muntin.spark.CastTo
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Reads the arguments of windows along a field, which is the argument `parameter`. The arguments
 * are numbers or intervals in units of the field.
 */
private[expressions] final class FieldNumbers(
    read: Arguments,
    field: Expression,
    parameter: String = "field"
) {
  import FieldNumbers._

  private val shown = FieldNumbers.shown(field)

  private val unit: Measure = field.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Whole
    case FloatType | DoubleType | _: DecimalType => Plain
    case TimestampType | TimestampNTZType => Micros
    case DateType => Days
    case other =>
      throw read.error(
        "MUNTIN_INVALID_ARGUMENT_TYPE",
        "parameter" -> parameter,
        "argument" -> shown,
        "type" -> other.sql,
        "expected" -> "a number, a TIMESTAMP, TIMESTAMP_NTZ or DATE"
      )
  }

  /**
   * Reads a number of units: microseconds of a timestamp, days of a date; None if it is omitted.
   */
  def number(parameter: String, argument: Expression): Option[BigDecimal] = {
    if (!argument.foldable) {
      throw read.invalidValue(parameter, argument, s"a literal: $expectation")
    }
    Option(argument.eval()).map { value =>
      (value, argument.dataType) match {
        case (i: CalendarInterval, CalendarIntervalType) if i.months == 0 =>
          interval(parameter, argument, BigDecimal(i.days) * MICROS_PER_DAY + i.microseconds)
        case (micros: Long, _: DayTimeIntervalType) =>
          interval(parameter, argument, BigDecimal(micros))
        case (_, CalendarIntervalType | _: YearMonthIntervalType) if unit.isTime =>
          throw notOfOneLength(parameter, argument)
        case (DurationText(i), _: StringType) if unit.isTime =>
          if (i.months != 0) throw notOfOneLength(parameter, argument)
          interval(parameter, argument, BigDecimal(i.days) * MICROS_PER_DAY + i.microseconds)
        case (d: Decimal, _) => inUnits(parameter, argument, d.toBigDecimal)
        case (x @ (_: Float | _: Double), _) =>
          inUnits(parameter, argument, decimal(x).getOrElse(throw unfit(parameter, argument)))
        case (n: Number, _: IntegralType) =>
          inUnits(parameter, argument, BigDecimal(n.longValue))
        case _ => throw unfit(parameter, argument)
      }
    }
  }

  /** Like `number`, but the value must be positive. */
  def positive(parameter: String, argument: Expression): Option[BigDecimal] = {
    val value = number(parameter, argument)
    if (value.exists(_ <= 0)) {
      throw read.invalidValue(parameter, argument, "more than zero")
    }
    value
  }

  /**
   * Returns the field in the type that locates its windows, with the digits that their ends need.
   */
  def widened(steps: Seq[BigDecimal], size: Option[BigDecimal]): Expression = field.dataType match {
    case FloatType => Cast(field, DoubleType)
    case d: DecimalType =>
      val scale = (d.scale +: steps.map(_.bigDecimal.stripTrailingZeros.scale)).max
      val whole = (d.precision - d.scale).max(size.fold(0)(wholeDigits)) + 1
      val needed = math.min(whole, DecimalType.MAX_PRECISION - scale)
      if (needed < d.precision - d.scale) {
        throw tooManyDigits(read, parameter, shown, d, DecimalType.MAX_PRECISION)
      }
      val wide = DecimalType(needed + scale, scale)
      if (wide == d) field else Cast(field, wide)
    case _ => field
  }

  private def wholeDigits(number: BigDecimal): Int =
    math.max(number.precision - number.scale, 0)

  private def interval(parameter: String, argument: Expression, micros: BigDecimal): BigDecimal =
    unit match {
      case Micros => micros
      case Days if (micros % MICROS_PER_DAY) == BigDecimal(0) => micros / MICROS_PER_DAY
      case _ => throw unfit(parameter, argument)
    }

  private def inUnits(parameter: String, argument: Expression, number: BigDecimal): BigDecimal = {
    val units = if (unit == Micros) number * MICROS_PER_SECOND else number
    if (unit != Plain && !units.isWhole) throw unfit(parameter, argument)
    units
  }

  // Uses the decimal text of the value: 0.1 is exactly one tenth.
  private def decimal(value: Any): Option[BigDecimal] =
    scala.util.Try(BigDecimal(String.valueOf(value))).toOption

  private def notOfOneLength(parameter: String, argument: Expression) = read.error(
    "MUNTIN_DURATION_WITH_MONTHS",
    "parameter" -> parameter,
    "argument" -> argument.sql
  )

  private def unfit(parameter: String, argument: Expression) =
    read.invalidValue(parameter, argument, expectation)

  private def expectation: String =
    s"${unit.expectation}, because $shown is a ${field.dataType.sql}"
}

private[expressions] object FieldNumbers {

  /** Returns the field as the query writes it. */
  def shown(field: Expression): String = field match {
    case CastTo(child, _) => child.sql
    case other => other.sql
  }

  /** Returns the error for a field whose type cannot hold the decimal places of the windows. */
  def tooManyDigits(
      read: Arguments,
      parameter: String,
      field: String,
      dataType: DataType,
      limit: Int
  ): AnalysisException = read.error(
    "MUNTIN_TOO_MANY_DIGITS",
    "parameter" -> parameter,
    "argument" -> field,
    "type" -> dataType.sql,
    "limit" -> limit.toString
  )

  sealed abstract class Measure(val expectation: String, val isTime: Boolean)

  case object Whole extends Measure("a whole number such as 30", isTime = false)

  case object Plain extends Measure("a number such as 0.5", isTime = false)

  case object Micros
      extends Measure(
        "a number of seconds such as 30 or 0.5, whole microseconds, or a duration such as " +
          "'30 seconds' or INTERVAL 30 SECONDS",
        isTime = true
      )

  case object Days
      extends Measure(
        "a whole number of days such as 7, '7 days' or INTERVAL 7 DAYS",
        isTime = true
      )
}

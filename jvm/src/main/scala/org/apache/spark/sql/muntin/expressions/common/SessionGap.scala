package org.apache.spark.sql.muntin.expressions.common

import java.math.RoundingMode

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, SortOrder}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_SECOND
import org.apache.spark.sql.types._

/**
 * The maximum distance between two consecutive rows of a session, in units of the time:
 * microseconds of a timestamp and days of a date.
 */
final case class SessionGap(length: BigDecimal) {

  /** Returns the time, with the decimal places of the gap. */
  def timeOf(value: Expression): Expression = value.dataType match {
    case FloatType => Cast(value, DoubleType)
    case d: DecimalType if SessionGap.scale(length) > d.scale =>
      val scale = SessionGap.scale(length)
      Cast(value, DecimalType(d.precision - d.scale + scale, scale))
    case _ => value
  }

  /** Returns the gap in the units in which a time of this type is stored as a long. */
  def units(time: DataType): Long = units(time, RoundingMode.UNNECESSARY)

  /**
   * Like `units`, without the decimal places that the time does not have: distances of times are
   * longer than the gap if they are longer than this.
   */
  def wholeUnits(time: DataType): Long = units(time, RoundingMode.FLOOR)

  private def units(time: DataType, rounding: RoundingMode): Long =
    length.bigDecimal.setScale(SessionGap.digits(time), rounding).unscaledValue.longValueExact

  /** Returns the gap as the query writes it. */
  def sql(time: DataType): String = {
    val number = time match {
      case TimestampType | TimestampNTZType => length / MICROS_PER_SECOND
      case _ => length
    }
    val plain = number.bigDecimal.stripTrailingZeros.toPlainString
    time match {
      case TimestampType | TimestampNTZType => s"$plain seconds"
      case DateType => s"$plain days"
      case _ => plain
    }
  }
}

object SessionGap {

  /**
   * Reads the argument `named` of a function: a gap along `time`, which is the argument
   * `parameter`.
   */
  def read(
      read: Arguments,
      parameter: String,
      time: Expression,
      gap: Expression,
      named: String = "gap"
  ): SessionGap = {
    val numbers = new FieldNumbers(read, time, parameter)
    val length = numbers.positive(named, gap).getOrElse {
      throw read.invalidValue(
        named,
        gap,
        "a duration such as '30 minutes', or a number such as 10 if times are numbers"
      )
    }
    val found = SessionGap(length)
    found.timeOf(time).dataType match {
      case d: DecimalType if d.precision > Decimal.MAX_LONG_DIGITS =>
        throw FieldNumbers
          .tooManyDigits(read, parameter, time.sql, d, Decimal.MAX_LONG_DIGITS)
      case DoubleType => ()
      case of if length.bigDecimal.setScale(digits(of)).unscaledValue.bitLength > MostBits =>
        throw read.invalidValue(named, gap, "a gap that a BIGINT can hold, in units of the time")
      case _ => ()
    }
    found
  }

  /** Reads the gap along the order of an OVER clause, which must have one. */
  def alongOrder(read: Arguments, order: Seq[SortOrder], gap: Expression): SessionGap =
    SessionGap.read(read, "ORDER BY", order.head.child, gap)

  private def scale(length: BigDecimal): Int =
    math.max(length.bigDecimal.stripTrailingZeros.scale, 0)

  private def digits(dataType: DataType): Int = dataType match {
    case d: DecimalType => d.scale
    case _ => 0
  }

  private val MostBits = 62
}

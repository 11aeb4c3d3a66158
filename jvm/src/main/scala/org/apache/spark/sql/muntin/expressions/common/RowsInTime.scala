package org.apache.spark.sql.muntin.expressions.common

import java.time.Instant
import java.time.temporal.ChronoUnit

import io.muntin.kernel.sums.Disorder
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, PreciseTimestampConversion}
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types._

/** Converts a time to a whole number: microseconds, or the number that it is. */
private[muntin] object TimeInMicros {
  def apply(time: Expression): Expression = ofType(time, time.dataType)

  /** Converts an unresolved time that will have the type `kind`. */
  def ofType(time: Expression, kind: DataType): Expression = kind match {
    case TimestampType | TimestampNTZType => PreciseTimestampConversion(time, kind, LongType)
    case DateType => ofType(Cast(time, TimestampNTZType), TimestampNTZType)
    case LongType => time
    case _ => Cast(time, LongType)
  }

  def isTime(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType | _: IntegralType => true
    case _ => false
  }

  /** Reads the time `at` of a function, which must have such a type. */
  def of(read: Arguments, parameter: String, time: Expression): Expression =
    if (isTime(time.dataType)) time
    else {
      throw read.invalidType(
        parameter,
        time,
        "a TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number"
      )
    }
}

/** The error for a row whose time is before the time of the previous row. */
private[muntin] final case class TimesGoBack(
    function: String,
    parameter: String,
    time: String,
    isNumber: Boolean
) extends Disorder {
  override def error(before: Long, now: Long): RuntimeException = new MuntinRuntimeException(
    "MUNTIN_DECREASING_TIMES",
    "function" -> function,
    "parameter" -> parameter,
    "time" -> time,
    "previous" -> shown(before),
    "current" -> shown(now)
  )

  private def shown(time: Long): String =
    if (isNumber) time.toString else Instant.EPOCH.plus(time, ChronoUnit.MICROS).toString
}

private[muntin] object TimesGoBack {
  def apply(function: String, parameter: String, time: Expression): TimesGoBack =
    TimesGoBack(function, parameter, time.sql, time.dataType.isInstanceOf[IntegralType])
}

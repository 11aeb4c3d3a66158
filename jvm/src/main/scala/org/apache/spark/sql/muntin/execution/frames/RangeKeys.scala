package org.apache.spark.sql.muntin.execution.frames

import java.time.ZoneId

import scala.util.Try

import org.apache.spark.sql.muntin.execution.functions.RowFrameBuilder
import io.muntin.kernel.columns.{DoubleColumn, DoubleKeys, Keys, LongColumn, LongKeys, ObjectColumn}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, TypeUtils}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.spark.{TimeOfDay, TimestampPlus}
import org.apache.spark.sql.types._
import org.apache.spark.sql.types.DayTimeIntervalType.DAY
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The keys and bounds of a RANGE frame with an offset. If key and offset are added as longs or
 * doubles, the kernel adds them. Spark's own expression adds months, zoned days and wide decimals,
 * and computes every sum that leaves the key's type.
 */
final case class RangeKeys(order: SortOrder, offset: Expression, timeZone: String) {
  private def key = order.child
  private def descending = order.direction == Descending
  private def nullsFirst = order.nullOrdering == NullsFirst

  private def signedOffset: Expression =
    if (descending) Literal.create(UnaryMinus(offset).eval(), offset.dataType) else offset

  def build(frame: RowFrameBuilder): Keys = {
    def longs(offset: Long, min: Long, max: Long): Keys = new LongKeys(
      frame.column(key).asInstanceOf[LongColumn],
      descending,
      nullsFirst,
      offset,
      min,
      max,
      (key: Long) => asLong(addition.eval(new GenericInternalRow(Array(asKey(key)))))
    )
    def number = asLong(signedOffset.eval())

    (key.dataType, offset.dataType) match {
      case (ByteType, _) => longs(number, Byte.MinValue, Byte.MaxValue)
      case (ShortType, _) => longs(number, Short.MinValue, Short.MaxValue)
      case (IntegerType, _) | (DateType, IntegerType) | (_: YearMonthIntervalType, _) =>
        longs(number, Int.MinValue, Int.MaxValue)
      case (
            LongType,
            _
          ) | (_: DayTimeIntervalType, _) | (TimestampNTZType, _: DayTimeIntervalType) =>
        longs(number, Long.MinValue, Long.MaxValue)
      case (DateType, DayTimeIntervalType(DAY, DAY)) =>
        longs(
          ExtractANSIIntervalDays(signedOffset).eval().asInstanceOf[Int],
          Int.MinValue,
          Int.MaxValue
        )
      case (d: DecimalType, _) if d.precision <= Decimal.MAX_LONG_DIGITS =>
        longs(
          signedOffset.eval().asInstanceOf[Decimal].toUnscaledLong,
          Long.MinValue,
          Long.MaxValue
        )
      case (TimestampType, _: DayTimeIntervalType) =>
        val zone = DateTimeUtils.getZoneId(timeZone)
        if (zone.getRules.isFixedOffset || math.abs(number) < ZonedShift.Day) {
          longs(number, Long.MinValue, Long.MaxValue)
        } else zoned(frame, number, zone)
      case (TimestampType | TimestampNTZType, CalendarIntervalType) if exactMicros.isDefined =>
        longs(exactMicros.get, Long.MinValue, Long.MaxValue)
      case (DoubleType | FloatType, _) =>
        new DoubleKeys(
          frame.column(key).asInstanceOf[DoubleColumn],
          descending,
          nullsFirst,
          signedOffset.eval().asInstanceOf[Number].doubleValue,
          single = key.dataType == FloatType
        )
      case _ =>
        new ExpressionKeys(
          frame.objectColumn(key).asInstanceOf[ObjectColumn],
          descending,
          nullsFirst,
          addition,
          TypeUtils.getInterpretedOrdering(key.dataType)
        )
    }
  }

  /**
   * Returns the microseconds of an interval without months and days, which are the same in every
   * zone.
   */
  private def exactMicros: Option[Long] = signedOffset.eval() match {
    case i: CalendarInterval if i.months == 0 && i.days == 0 => Some(i.microseconds)
    case _ => None
  }

  /** If rows are ordered by timestamps: returns the offset in microseconds, at least or at most. */
  def offsetMicros(least: Boolean): Option[Long] = {
    def months(number: Int, rest: Long) = {
      val days = if (number > 0 == least) 28L else 31L
      rest + number * days * MICROS_PER_DAY + (if (least) -slack else slack)
    }
    (key.dataType, signedOffset.eval()) match {
      case (TimestampType | TimestampNTZType, micros: Long) =>
        Some(if (math.abs(micros) < MICROS_PER_DAY) micros else months(0, micros))
      case (TimestampType | TimestampNTZType, number: Int) => Some(months(number, 0L))
      case (TimestampType | TimestampNTZType, _: CalendarInterval) if exactMicros.isDefined =>
        exactMicros
      case (TimestampType | TimestampNTZType, i: CalendarInterval) =>
        Some(months(i.months, i.days * MICROS_PER_DAY + i.microseconds))
      case _ => None
    }
  }

  /**
   * Returns `offsetMicros`, or, if rows are ordered by numbers, the offset as a number of the key's
   * units.
   */
  def offsetNumber(least: Boolean): Option[Long] = (key.dataType, signedOffset.eval()) match {
    case (ByteType | ShortType | IntegerType | LongType, number: Number) => Some(number.longValue)
    case (d: DecimalType, number: Decimal) if d.precision <= Decimal.MAX_LONG_DIGITS =>
      Some(number.toUnscaledLong)
    case _ => offsetMicros(least)
  }

  /**
   * Returns whether bounds are before their keys (-1) or after them (1) in the order; None if this
   * depends on the key.
   */
  def side: Option[Int] = offset.eval() match {
    case i: CalendarInterval =>
      val parts = Seq(i.months.toLong, i.days.toLong, i.microseconds).map(java.lang.Long.signum)
      if (parts.contains(-1) && parts.contains(1)) None else Some(Integer.signum(parts.sum))
    case value =>
      val zero = Literal.default(offset.dataType).value
      val order = TypeUtils.getInterpretedOrdering(offset.dataType)
      Some(Integer.signum(order.compare(value, zero)))
  }

  /**
   * With `isPreceding`: returns a key that is no later than any bound of the key `value`, or of a
   * later key. Else: returns a key that is no earlier than any bound of `value`, or of an earlier
   * key. (If months and days are added, bounds may be in another order than their keys.) None if
   * the type has no such key.
   */
  def reach(value: Any, isPreceding: Boolean): Option[Any] = {
    // By the values of keys, independent of the order.
    val least = isPreceding != descending
    (offsetMicros(least), value) match {
      case (Some(micros), time: Long) =>
        val days = if (math.abs(micros) < MICROS_PER_DAY) 0L else RangeKeys.OutOfOrderDays
        val slack = days * MICROS_PER_DAY
        Try(Math.addExact(time, Math.addExact(micros, if (least) -slack else slack))).toOption
      case _ =>
        Try(addition.eval(new GenericInternalRow(Array(value)))).toOption.filter(_ != null)
    }
  }

  // A day of a zone has 23, 24 or 25 hours.
  private def slack: Long =
    if (DateTimeUtils.getZoneId(timeZone).getRules.isFixedOffset) 0L else MICROS_PER_DAY / 8

  private def zoned(frame: RowFrameBuilder, micros: Long, zone: ZoneId): Keys = {
    val shift = new ZonedShift(micros, zone)
    // The range of exact sums is empty: the shift computes every bound.
    new LongKeys(
      frame.column(key).asInstanceOf[LongColumn],
      descending,
      nullsFirst,
      offset = 0L,
      min = 1L,
      max = 0L,
      key => shift(key)
    )
  }

  /**
   * Returns key + offset as in Spark (WindowEvaluatorFactoryBase), over a row that holds the key.
   */
  private def addition: Expression = {
    val start = BoundReference(0, key.dataType, nullable = false)
    val shift = signedOffset
    (key.dataType, shift.dataType) match {
      case (DateType, IntegerType) => DateAdd(start, shift)
      case (DateType, _: YearMonthIntervalType) => DateAddYMInterval(start, shift)
      case (DateType, DayTimeIntervalType(DAY, DAY)) =>
        DateAdd(start, ExtractANSIIntervalDays(shift))
      case (TimestampType | TimestampNTZType, CalendarIntervalType) =>
        TimestampPlus(start, shift, timeZone)
      case (TimestampType | TimestampNTZType, _: YearMonthIntervalType) =>
        TimestampAddYMInterval(start, shift, Some(timeZone))
      case (TimestampType | TimestampNTZType, _: DayTimeIntervalType) =>
        TimestampPlus(start, shift, timeZone)
      case (d: DecimalType, _: DecimalType) => DecimalAddNoOverflowCheck(start, shift, d)
      case _ => Add(start, shift)
    }
  }

  private def asKey(value: Long): Any = key.dataType match {
    case ByteType => value.toByte
    case ShortType => value.toShort
    case IntegerType | DateType | _: YearMonthIntervalType => value.toInt
    case d: DecimalType => Decimal.createUnsafe(value, d.precision, d.scale)
    case _ => value
  }

  private def asLong(value: Any): Long = value match {
    case d: Decimal => d.toUnscaledLong
    case n: Number => n.longValue
    case other => throw new IllegalStateException(s"not a number: $other")
  }
}

object RangeKeys {

  // The bounds of two keys can be in the opposite order. A month after January 29, 30 and 31 is
  // February 28 each time, so up to three days may become one. A zone has some hours twice, and
  // also the days after them.
  private val OutOfOrderDays = 4L

  /** Returns true if Spark would add an offset of this type to a key of that type. */
  def supports(key: DataType, offset: DataType): Boolean = (key, offset) match {
    case (TimeOfDay(), _) => false
    case (DateType, IntegerType | _: YearMonthIntervalType | DayTimeIntervalType(DAY, DAY)) => true
    case (
          TimestampType | TimestampNTZType,
          CalendarIntervalType | _: YearMonthIntervalType | _: DayTimeIntervalType
        ) =>
      true
    case (_: NumericType | _: AnsiIntervalType, other) => key == other
    case _ => false
  }
}

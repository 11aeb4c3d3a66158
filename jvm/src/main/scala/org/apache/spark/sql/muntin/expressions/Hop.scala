package org.apache.spark.sql.muntin.expressions

import java.time.{DateTimeException, ZoneId, ZoneOffset}

import io.muntin.kernel.fields.FieldSteps
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** tumble: aligned, adjacent windows of a group, after SQL's TUMBLE. */
object Tumble extends SqlFunction {
  override def definition: Definition = Definitions.tumble

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(time, size, offset, zone, drain) =>
      new HopArguments(FieldKind.Tumbling, time, size, None, offset, zone, drain).window
  }
}

/** hop: aligned, overlapping windows of a group, after SQL's HOP. */
object Hop extends SqlFunction {
  override def definition: Definition = Definitions.hop

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(time, slide, size, offset, zone, drain) =>
      new HopArguments(FieldKind.Hopping, time, size, Some(slide), offset, zone, drain).window
  }
}

/**
 * The arguments of tumble and hop. Windows of whole days follow the calendar of a time zone, and
 * windows of months every calendar: both count days or months. Other windows count the units of the
 * time. If `slide` is shorter than a day, a day in `size` is 24 hours.
 */
private final class HopArguments(
    kind: FieldKind,
    timeOf: Expression,
    sizeOf: Expression,
    slideOf: Option[Expression],
    offsetOf: Expression,
    zoneOf: Expression,
    drainOf: Expression
) {
  import HopArguments._

  private val read = new Arguments(kind.function.name)
  private val time = read.row(kind.parameter, FieldWindow.unaliased(timeOf))
  private val numbers = new FieldNumbers(read, time, kind.parameter)
  private val size = span("size", sizeOf)
  private val slide = slideOf.fold(size)(span("slide", _))
  private val offset = span("offset", offsetOf)
  private val slideArgument = slideOf.getOrElse(sizeOf)

  private val isTime = time.dataType match {
    case TimestampType | TimestampNTZType | DateType => true
    case _ => false
  }

  def window: FieldWindow = {
    val (steps, calendar) =
      if (isTime && (size.exists(_.months != 0) || slide.exists(_.months != 0))) inMonths
      else if (time.dataType == TimestampType && size.exists(_.isDays) && slide.exists(_.isDays)) {
        inDays
      } else inUnits
    if (steps.advance.get > steps.size.get) {
      throw FieldWindow.exceedsSize(read, "slide", slideOf.get, sizeOf)
    }
    if (calendar.forall(_ => time.dataType != TimestampType)) refuseZone()
    val field =
      if (calendar.isDefined) time
      else numbers.widened((steps.size ++ steps.advance).toSeq :+ steps.offset, steps.size)
    val argumentTexts = slideOf.map(s => s"slide => ${s.sql}") ++ Some(s"size => ${sizeOf.sql}") ++
      Option.when(!isNull(offsetOf) && steps.offset + calendar.fold(0L)(_.shift) != 0) {
        s"offset => ${offsetOf.sql}"
      } ++ calendar.filter(_ => time.dataType == TimestampType).map(c =>
        s"time_zone => '${c.zone}'"
      )
    val window = FieldWindow(
      field,
      steps,
      read.expression(drainOf).map(read.flag("drain", _)),
      kind = kind,
      calendar = calendar,
      argumentTexts = argumentTexts.toVector
    )
    FieldWindow.check(read, window, Literal(null))
    window
  }

  private def inUnits: (FieldSteps[BigDecimal], Option[FieldCalendar]) = {
    val width = numbers.positive("size", sizeOf).getOrElse(throw missing("size", sizeOf))
    val advance = slideOf.fold(width) { argument =>
      numbers.positive("slide", argument).getOrElse(throw missing("slide", argument))
    }
    if (isTime && offset.exists(_.months != 0)) throw unfitOffset
    val by = numbers.number("offset", offsetOf).getOrElse(BigDecimal(0))
    (FieldSteps(Some(width), Some(advance), by, None, all = true), None)
  }

  private def inDays: (FieldSteps[BigDecimal], Option[FieldCalendar]) = {
    val by = offset.getOrElse(Span(0, 0L, seconds(offsetOf)))
    if (by.months != 0) throw unfitOffset
    (
      steps(days("size", size.get, sizeOf), days("slide", slide.get, slideArgument), by.days),
      Some(FieldCalendar(isMonths = false, ofDates = false, by.micros, zone))
    )
  }

  private def inMonths: (FieldSteps[BigDecimal], Option[FieldCalendar]) = {
    val by = offset.getOrElse(Span(0, 0L, seconds(offsetOf)))
    val shift = Math.addExact(Math.multiplyExact(by.days, MICROS_PER_DAY), by.micros)
    if (time.dataType == DateType && shift % MICROS_PER_DAY != 0L) {
      throw read.invalidValue("offset", offsetOf, "whole days or months, because time is a DATE")
    }
    (
      steps(months("size", size, sizeOf), months("slide", slide, slideArgument), by.months.toLong),
      Some(FieldCalendar(isMonths = true, ofDates = time.dataType == DateType, shift, zone))
    )
  }

  private def steps(size: Long, slide: Long, offset: Long): FieldSteps[BigDecimal] =
    FieldSteps(
      Some(BigDecimal(size)),
      Some(BigDecimal(slide)),
      BigDecimal(offset),
      None,
      all = true
    )

  private def days(parameter: String, span: Span, argument: Expression): Long =
    if (span.days > 0L) span.days else throw notPositive(parameter, argument)

  private def months(parameter: String, span: Option[Span], argument: Expression): Long =
    span match {
      case Some(Span(months, 0L, 0L)) if months > 0 => months.toLong
      case Some(Span(months, 0L, 0L)) if months < 0 => throw notPositive(parameter, argument)
      case _ =>
        throw read.error(
          "MUNTIN_MIXED_MONTHS",
          "parameter" -> parameter,
          "argument" -> argument.sql
        )
    }

  private def notPositive(parameter: String, argument: Expression) =
    read.invalidValue(parameter, argument, "more than zero")

  private def missing(parameter: String, argument: Expression) =
    read.invalidValue(parameter, argument, "a length such as INTERVAL 1 HOUR or '1 day'")

  private def unfitOffset = read.error(
    "MUNTIN_OFFSET_WITH_MONTHS",
    "offset" -> offsetOf.sql,
    "size" -> sizeOf.sql
  )

  private def zone: ZoneId =
    if (time.dataType == TimestampType) {
      val zoneArgument = read.text("time_zone", zoneOf)
      try DateTimeUtils.getZoneId(zoneArgument.getOrElse(SQLConf.get.sessionLocalTimeZone))
      catch {
        case _: DateTimeException =>
          throw read.invalidValue("time_zone", zoneOf, HopArguments.Zones)
      }
    } else ZoneOffset.UTC

  private def refuseZone(): Unit = read.text("time_zone", zoneOf).foreach { _ =>
    if (time.dataType == TimestampType) {
      throw read.error("MUNTIN_TIME_ZONE_WITHOUT_CALENDAR", "timeZone" -> zoneOf.sql)
    }
    throw read.zoneOfLocalTime("time_zone", zoneOf, timeOf, time.dataType)
  }

  /** Converts a number of seconds to microseconds. */
  private def seconds(argument: Expression): Long =
    if (isNull(argument)) 0L
    else {
      // The field's units are microseconds, or days if it is a DATE.
      val units = numbers.number("offset", argument).getOrElse(BigDecimal(0))
      (if (time.dataType == DateType) units * MICROS_PER_DAY else units).toLongExact
    }

  private def isNull(argument: Expression): Boolean = argument.foldable && argument.eval() == null

  /** Returns the duration, if the argument is a duration and not a number. */
  private def span(parameter: String, argument: Expression): Option[Span] =
    if (!argument.foldable) {
      throw read.invalidValue(parameter, argument, "a literal such as '1 hour'")
    } else {
      (Option(argument.eval()), argument.dataType) match {
        case (Some(i: CalendarInterval), CalendarIntervalType) => Some(Span(i))
        case (Some(DurationText(i)), _: StringType) => Some(Span(i))
        case (Some(micros: Long), DayTimeIntervalType(DayTimeIntervalType.DAY, _)) =>
          Some(Span(0, micros / MICROS_PER_DAY, micros % MICROS_PER_DAY))
        case (Some(micros: Long), _: DayTimeIntervalType) => Some(Span(0, 0L, micros))
        case (Some(months: Int), _: YearMonthIntervalType) => Some(Span(months, 0L, 0L))
        case _ => None
      }
    }
}

private[expressions] object HopArguments {

  /** Describes time zones, for errors. */
  val Zones: String = "a region such as 'America/New_York', or an offset such as '+01:00'"

  /** A length of time as written in the query: '24 hours' does not have days. */
  final case class Span(months: Int, days: Long, micros: Long) {
    def isDays: Boolean = months == 0 && days != 0L && micros == 0L
  }

  object Span {
    def apply(i: CalendarInterval): Span = Span(i.months, i.days.toLong, i.microseconds)
  }
}

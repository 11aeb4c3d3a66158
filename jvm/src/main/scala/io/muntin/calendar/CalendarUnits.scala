package io.muntin.calendar

import java.time.{Instant, LocalDate, LocalDateTime, ZoneOffset}
import java.time.zone.ZoneRules

import io.muntin.kernel.fields.FieldUnits

/**
 * The days or the months of a time zone's calendar, numbered from 1970, along microseconds since
 * 1970 UTC. Each begins `shift` microseconds later by the clock, e.g. days from 6 o'clock on.
 *
 * If the clocks skip the start of a unit, it begins at the change. If the clocks show the start
 * twice, the unit begins at the first.
 *
 * The units of recent values are cached. Cost: two comparisons. Guarded by CalendarUnitsSuite.
 */
final class CalendarUnits(isMonths: Boolean, shift: Long, rules: ZoneRules) extends FieldUnits {
  import CalendarUnits._
  import LocalSchedule.Day

  private val most = if (isMonths) MostDays / 28L else MostDays
  private val bits = if (isMonths) 40 else 35
  private val from = Array.fill(Slots)(Long.MaxValue)
  private val until = Array.fill(Slots)(Long.MinValue)
  private val cached = new Array[Long](Slots)

  override def of(value: Long): Long = {
    val slot = (value >> bits).toInt & (Slots - 1)
    if (value < from(slot) || value >= until(slot)) {
      val unit = find(value)
      cached(slot) = unit
      from(slot) = start(unit)
      until(slot) = start(unit + 1L)
    }
    cached(slot)
  }

  // If the clocks have changed, the wall clock's day or month may be the next or the previous unit.
  private def find(value: Long): Long = {
    val (seconds, rest) = (Math.floorDiv(value, Second), Math.floorMod(value, Second))
    val offset = rules.getOffset(Instant.ofEpochSecond(seconds)).getTotalSeconds
    val clock = seconds + offset - Math.floorDiv(shift, Second)
    val earlier = if (rest < Math.floorMod(shift, Second)) 1L else 0L
    val day = Math.floorDiv(clock - earlier, Day / Second)
    var unit = if (isMonths) Months.of(day) else day
    while (start(unit) > value) unit -= 1L
    while (next(unit) <= value && next(unit) != Long.MaxValue) unit += 1L
    unit
  }

  private def next(unit: Long): Long = start(unit + 1L)

  override def start(unit: Long): Long =
    if (unit > most) Long.MaxValue
    else if (unit < -most) Long.MinValue
    else {
      val date = LocalDate.ofEpochDay(if (isMonths) Months.firstDay(unit) else unit)
      val local = date.atStartOfDay
        .plusSeconds(Math.floorDiv(shift, Second))
        .plusNanos(Math.floorMod(shift, Second) * 1000L)
      micros(local, unit)
    }

  private def micros(local: LocalDateTime, unit: Long): Long = {
    val change = rules.getTransition(local)
    val seconds =
      if (change != null && change.isGap) change.toEpochSecond
      else local.toEpochSecond(if (change == null) offsetAt(local) else change.getOffsetBefore)
    val rest = if (change != null && change.isGap) 0L else local.getNano / 1000L
    try Math.addExact(Math.multiplyExact(seconds, Second), rest)
    catch { case _: ArithmeticException => if (unit > 0L) Long.MaxValue else Long.MinValue }
  }

  private def offsetAt(local: LocalDateTime): ZoneOffset = rules.getOffset(local)
}

private object CalendarUnits {
  private val Second = 1000000L
  private val Slots = 1 << 10

  // More than the days of any microsecond.
  private val MostDays = 200000000L
}

/** The months of dates, numbered from 1970, each from `shift` days later on. */
final class MonthsOfDates(shift: Long) extends FieldUnits {
  override def of(day: Long): Long = Months.of(day - shift)

  override def start(unit: Long): Long =
    if (unit > MonthsOfDates.Most) Long.MaxValue
    else if (unit < -MonthsOfDates.Most) Long.MinValue
    else Months.firstDay(unit) + shift
}

private object MonthsOfDates {

  // More than the months of any DATE.
  private val Most = 100000000L
}

private object Months {
  def of(day: Long): Long = {
    val date = LocalDate.ofEpochDay(day)
    (date.getYear - 1970L) * 12L + date.getMonthValue - 1L
  }

  def firstDay(month: Long): Long = {
    val year = Math.floorDiv(month, 12L).toInt + 1970
    LocalDate.of(year, Math.floorMod(month, 12L).toInt + 1, 1).toEpochDay
  }
}

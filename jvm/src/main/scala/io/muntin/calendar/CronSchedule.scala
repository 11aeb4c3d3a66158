package io.muntin.calendar

import java.time.{LocalDate, Month}
import java.util.Arrays

import scala.annotation.tailrec

/**
 * A five-field cron expression, as the times of a day and the days on which it ticks. If both the
 * days of the month and the days of the week are restricted, a day must satisfy one of them, as in
 * cron.
 */
private[calendar] final class CronSchedule(
    minutes: Set[Int],
    hours: Set[Int],
    days: Set[Int],
    months: Set[Int],
    weekdays: Set[Int]
) extends LocalSchedule {
  import LocalSchedule.{Day, Minute}

  // Minutes of the day.
  private val times: Array[Int] =
    hours.toArray.sorted.flatMap(h => minutes.toArray.sorted.map(h * 60 + _))

  private val ofMonth = Array.tabulate(32)(days.contains)
  private val inMonth = Array.tabulate(13)(months.contains)
  private val ofWeek = Array.tabulate(7)(weekdays.contains)
  private val either = days.size < 31 && weekdays.size < 7

  /** Returns true if it ever ticks, unlike on 30 February. */
  def ticks: Boolean =
    weekdays.size < 7 || months.exists(m => days.exists(_ <= Month.of(m).maxLength))

  override def atOrAfter(time: Long): Long = {
    val minute = Math.floorDiv(time, Minute) + (if (Math.floorMod(time, Minute) > 0L) 1L else 0L)
    val day = Math.floorDiv(minute, 1440L)
    val next = search(Math.floorMod(minute, 1440L).toInt)
    if (next < times.length && isOn(LocalDate.ofEpochDay(day))) at(day, times(next))
    else at(dayFrom(LocalDate.ofEpochDay(day + 1L)), times(0))
  }

  override def before(time: Long): Long = {
    val minute = Math.floorDiv(Math.subtractExact(time, 1L), Minute)
    val day = Math.floorDiv(minute, 1440L)
    val previous = search(Math.floorMod(minute, 1440L).toInt + 1) - 1
    if (previous >= 0 && isOn(LocalDate.ofEpochDay(day))) at(day, times(previous))
    else at(dayUntil(LocalDate.ofEpochDay(day - 1L)), times(times.length - 1))
  }

  /** Returns the index of the first of `times` that is not less than `minute`. */
  private def search(minute: Int): Int = {
    val found = Arrays.binarySearch(times, minute)
    if (found >= 0) found else -found - 1
  }

  private def at(day: Long, minute: Int): Long =
    Math.addExact(Math.multiplyExact(day, Day), minute * Minute)

  private def isOn(date: LocalDate): Boolean = inMonth(date.getMonthValue) && {
    val monthly = ofMonth(date.getDayOfMonth)
    // Cron counts from Sunday.
    val weekly = ofWeek(date.getDayOfWeek.getValue % 7)
    if (either) monthly || weekly else monthly && weekly
  }

  @tailrec private def dayFrom(date: LocalDate): Long =
    if (!inMonth(date.getMonthValue)) dayFrom(date.withDayOfMonth(1).plusMonths(1))
    else if (isOn(date)) date.toEpochDay
    else dayFrom(date.plusDays(1))

  @tailrec private def dayUntil(date: LocalDate): Long =
    if (!inMonth(date.getMonthValue)) dayUntil(date.withDayOfMonth(1).minusDays(1))
    else if (isOn(date)) date.toEpochDay
    else dayUntil(date.minusDays(1))

  override def isHourly: Boolean = hours.size == 24

  override def isDaily: Boolean = times.sameElements(Array(0))

  override def shortest: Long = {
    val overnight = times(0) + 1440 - times(times.length - 1)
    times.toSeq.zip(times.toSeq.drop(1)).map { case (a, b) => b - a }
      .foldLeft(overnight)(math.min) * Minute
  }
}

private[calendar] object CronSchedule {
  def apply(text: String): CronSchedule = {
    val cron = CronText.parse(text)
    val schedule =
      new CronSchedule(cron.minutes, cron.hours, cron.days, cron.months, cron.weekdays)
    if (!schedule.ticks) throw new IllegalArgumentException("its days do not exist in its months")
    schedule
  }
}

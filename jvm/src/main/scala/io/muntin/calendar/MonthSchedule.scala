package io.muntin.calendar

import java.time.LocalDate

/** The start of each month, or of each year if `months` is 12. */
private[calendar] final class MonthSchedule(months: Int) extends LocalSchedule {
  import LocalSchedule.Day

  override def atOrAfter(time: Long): Long = {
    val first = firstDay(time)
    val begin = first.toEpochDay * Day
    if (begin == time) time
    else Math.multiplyExact(first.plusMonths(months.toLong).toEpochDay, Day)
  }

  override def before(time: Long): Long =
    Math.multiplyExact(firstDay(Math.subtractExact(time, 1L)).toEpochDay, Day)

  /** Returns the first day of the month or year that contains `time`. */
  private def firstDay(time: Long): LocalDate = {
    val date = LocalDate.ofEpochDay(Math.floorDiv(time, Day))
    if (months == 12) date.withDayOfYear(1) else date.withDayOfMonth(1)
  }

  override def isHourly: Boolean = false

  override def isDaily: Boolean = true

  override def shortest: Long = (if (months == 12) 365L else 28L) * Day
}

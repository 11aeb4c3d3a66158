package io.muntin.calendar

/**
 * A schedule by a clock that never changes. Times are microseconds of that clock since 1970-01-01.
 * If a tick would exceed their range, throws ArithmeticException.
 */
abstract class LocalSchedule extends Serializable {

  /** Returns the first tick at or after `time`. */
  def atOrAfter(time: Long): Long

  /** Returns the last tick before `time`. */
  def before(time: Long): Long

  /** True if it ticks in every hour of the day, and so also in an hour that occurs twice. */
  def isHourly: Boolean

  /** True if it ticks only at the start of days. */
  def isDaily: Boolean

  /** The least distance between two ticks. */
  def shortest: Long
}

object LocalSchedule {
  val Minute: Long = 60L * 1000 * 1000
  val Hour: Long = 60L * Minute
  val Day: Long = 24L * Hour

  // 1969-12-29 was a Monday.
  private val named = Seq[(String, LocalSchedule)](
    "minutely" -> new EvenSchedule(Minute, 0L),
    "hourly" -> new EvenSchedule(Hour, 0L),
    "daily" -> new EvenSchedule(Day, 0L),
    "weekly" -> new EvenSchedule(7L * Day, -3L * Day),
    "monthly" -> new MonthSchedule(1),
    "yearly" -> new MonthSchedule(12)
  )

  val names: Seq[String] = named.map(_._1)

  /**
   * Returns the schedule with this name or cron expression. Throws an IllegalArgumentException with
   * the parser's reason if the text is neither.
   */
  def apply(text: String): LocalSchedule =
    named.collectFirst { case (`text`, schedule) => schedule }.getOrElse(CronSchedule(text))
}

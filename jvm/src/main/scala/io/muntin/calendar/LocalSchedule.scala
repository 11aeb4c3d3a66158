package io.muntin.calendar

/**
 * A schedule by a clock that is never put forward or back. Times are microseconds of that clock,
 * from its first of January 1970. Where a tick would be out of their range: ArithmeticException.
 */
abstract class LocalSchedule extends Serializable {

  /** The first tick at or after `time`. */
  def atOrAfter(time: Long): Long

  /** The last tick before `time`. */
  def before(time: Long): Long

  /** It ticks in every hour of the day: so also when an hour comes twice. */
  def isHourly: Boolean

  /** It ticks at the beginning of days alone. */
  def isDaily: Boolean

  /** No two ticks are nearer to each other than this. */
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

package org.apache.spark.sql.muntin.expressions.common

import java.time.{Instant, ZoneId, ZoneOffset}
import java.util.Locale

import io.muntin.calendar.{CachedTicks, ClosingTicks, LocalSchedule, ZonedTicks}
import io.muntin.kernel.motions.Ticks
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.muntin.spark.RowError

/**
 * A schedule, given by its name or cron expression, in a time zone; times without a zone are in
 * UTC.
 *
 * @param opens
 *   true if a row at a tick belongs to the period that the tick begins; `ticks` then returns the
 *   last microsecond of each period
 */
final case class Schedule(text: String, zone: ZoneId, opens: Boolean) {
  @transient private lazy val local: LocalSchedule = LocalSchedule(text)

  /** Returns true if it ticks only at the beginning of days. */
  def isDaily: Boolean = local.isDaily

  /** Returns the tick of a time in `ticks`. */
  def tickOf(time: Long): Long = if (opens) time + 1L else time

  /**
   * Returns the ticks in microseconds since 1970, for one thread. They cache their last position,
   * so a task should reuse them.
   */
  def ticks(): Ticks = {
    val zoned = new ZonedTicks(local, zone.getRules)
    new CachedTicks(new Bounded(if (opens) new ClosingTicks(zoned) else zoned), local.shortest)
  }

  /** Ticks that fail with an error at the end of the time range. */
  private final class Bounded(ticks: Ticks) extends Ticks {
    override def atOrAfter(time: Long): Long =
      try ticks.atOrAfter(time)
      catch { case _: ArithmeticException => throw beyond(s"at or after ${shown(time)}") }

    override def before(time: Long): Long =
      try ticks.before(time)
      catch { case _: ArithmeticException => throw beyond(s"before ${shown(time)}") }

    private def beyond(where: String) =
      RowError.timeOverflow(s"find the tick of '$text' $where")

    private def shown(time: Long): Instant = DateTimeUtils.microsToInstant(time)
  }
}

object Schedule {

  /** Throws IllegalArgumentException with the reason if there is no such schedule. */
  def apply(text: String, zone: Option[ZoneId], opens: Boolean): Schedule = {
    val words = text.trim.split("\\s+").mkString(" ")
    val name = LocalSchedule.names.find(_.equalsIgnoreCase(words))
    val schedule = Schedule(
      name.getOrElse(words.toUpperCase(Locale.ROOT)),
      zone.getOrElse(ZoneOffset.UTC),
      opens
    )
    schedule.local: Unit
    schedule
  }

  /** Lists the schedules that a query may use. */
  val allowed: String = LocalSchedule.names.map(n => s"'$n'").mkString(", ") +
    " or a cron expression of five fields, such as '0 9 * * MON-FRI'"
}

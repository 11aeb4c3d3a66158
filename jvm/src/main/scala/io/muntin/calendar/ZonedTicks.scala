package io.muntin.calendar

import java.time.{Instant, LocalDateTime, ZoneOffset}
import java.time.zone.{ZoneOffsetTransition, ZoneRules}

import scala.annotation.tailrec

import io.muntin.kernel.motions.Ticks

/**
 * The instants, in microseconds since 1970 UTC, at which a schedule ticks by the clocks of a time
 * zone.
 *
 * Between two changes of the clocks it is the shifted schedule. If clocks are set forward, all
 * ticks at skipped times are one tick, at the change. If clocks are set back, an hourly schedule
 * ticks at repeated times both times, and any other schedule only the first time.
 *
 * Guarded by ScheduleSuite.
 */
final class ZonedTicks(schedule: LocalSchedule, rules: ZoneRules) extends Ticks {
  private val intervals: Array[Stretch] = between(ZonedTicks.From, ZonedTicks.Until)
  private var current: Stretch = intervals(0)

  override def atOrAfter(time: Long): Long = first(time)

  @tailrec private def first(time: Long): Long = {
    val s = stretch(time)
    if (time == s.from && s.ticksAtFrom) time
    else {
      val local = schedule.atOrAfter(math.max(Math.addExact(time, s.offset), s.localFrom))
      val tick = Math.subtractExact(local, s.offset)
      if (tick < s.until) tick else first(s.until)
    }
  }

  override def before(time: Long): Long = last(time)

  @tailrec private def last(time: Long): Long = {
    val s = stretch(Math.subtractExact(time, 1L))
    val local = schedule.before(Math.addExact(time, s.offset))
    if (local >= s.localFrom) Math.subtractExact(local, s.offset)
    else if (s.ticksAtFrom) s.from
    else last(s.from)
  }

  private def stretch(time: Long): Stretch = {
    if (!current.holds(time)) {
      current =
        if (time < intervals(0).from || time >= intervals(intervals.length - 1).until)
          intervalAround(time)
        else find(time)
    }
    current
  }

  private def find(time: Long): Stretch = {
    var low = 0
    var high = intervals.length - 1
    while (low < high) {
      val middle = (low + high + 1) >>> 1
      if (intervals(middle).from <= time) low = middle else high = middle - 1
    }
    intervals(low)
  }

  private def between(from: Long, until: Long): Array[Stretch] =
    Iterator
      .iterate(Option(intervalAround(from)))(_.filter(_.until < until).map(s =>
        intervalAround(s.until)
      ))
      .takeWhile(_.nonEmpty)
      .flatten
      .toArray

  /** Returns the interval from the last change of the clocks at or before `time` to the next. */
  private def intervalAround(time: Long): Stretch = {
    val instant =
      Instant.ofEpochSecond(Math.floorDiv(time, 1000000L), Math.floorMod(time, 1000000L) * 1000L)
    val next = rules.nextTransition(instant)
    val previous = rules.previousTransition(instant.plusNanos(1L))
    new Stretch(
      offset = rules.getOffset(instant).getTotalSeconds * 1000000L,
      previous = Option(previous),
      until = if (next == null) Long.MaxValue else micros(next.toEpochSecond)
    )
  }

  private def micros(seconds: Long): Long =
    if (seconds >= Long.MaxValue / 1000000L) Long.MaxValue
    else if (seconds <= Long.MinValue / 1000000L) Long.MinValue
    else seconds * 1000000L

  private def local(time: LocalDateTime): Long = micros(time.toEpochSecond(ZoneOffset.UTC))

  /** Instants between two changes of the clocks. */
  private final class Stretch(
      val offset: Long,
      previous: Option[ZoneOffsetTransition],
      val until: Long
  ) {
    val from: Long = previous.fold(Long.MinValue)(p => micros(p.toEpochSecond))

    /** The local time from which on ticks are new. */
    val localFrom: Long = previous.fold(Long.MinValue) { p =>
      if (p.isGap || schedule.isHourly) local(p.getDateTimeAfter) else local(p.getDateTimeBefore)
    }

    /** True if a skipped local time would have been a tick. */
    val ticksAtFrom: Boolean = previous.exists { p =>
      p.isGap && schedule.atOrAfter(local(p.getDateTimeBefore)) < local(p.getDateTimeAfter)
    }

    def holds(time: Long): Boolean = time >= from && time < until
  }
}

private object ZonedTicks {
  private val Year = (365.2425 * LocalSchedule.Day).toLong

  // The changes of the clocks in these years are computed in advance.
  private val From = -70L * Year
  private val Until = 130L * Year
}

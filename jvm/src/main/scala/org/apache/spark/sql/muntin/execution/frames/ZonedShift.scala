package org.apache.spark.sql.muntin.execution.frames

import java.time.ZoneId

import org.apache.spark.sql.catalyst.util.DateTimeUtils

/**
 * Adds days of a time zone and microseconds, as Spark's timestampAddDayTime does. While key and sum
 * are between the same two changes of the zone's offset, this is plain addition; the changes around
 * the last key are cached.
 */
final class ZonedShift(micros: Long, zone: ZoneId) {
  private val days = micros / ZonedShift.Day * ZonedShift.Day
  private var from = Long.MaxValue
  private var until = Long.MinValue

  def apply(key: Long): Long = {
    if (!within(key)) findChanges(key)
    if (within(key) && within(key + days)) key + micros
    else DateTimeUtils.timestampAddDayTime(key, micros, zone)
  }

  private def within(instant: Long): Boolean = instant >= from && instant < until

  private def findChanges(key: Long): Unit = {
    val instant = DateTimeUtils.microsToInstant(key)
    val rules = zone.getRules
    // previousTransition looks before the instant itself; a change at the instant counts as passed.
    val previous = rules.previousTransition(instant.plusNanos(1))
    val next = rules.nextTransition(instant)
    val margin = 2 * ZonedShift.Day
    from =
      if (previous == null) key - margin else DateTimeUtils.instantToMicros(previous.getInstant)
    until = if (next == null) key + margin else DateTimeUtils.instantToMicros(next.getInstant)
  }
}

object ZonedShift {
  val Day: Long = 24L * 60 * 60 * 1000 * 1000
}

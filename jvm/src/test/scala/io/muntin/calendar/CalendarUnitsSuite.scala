package io.muntin.calendar

import java.time._

import scala.util.Random

import io.muntin.kernel.SampledTests
import io.muntin.kernel.fields.FieldUnits

/** The days and months of calendars against java.time, around every change of the clocks. */
class CalendarUnitsSuite extends SampledTests {
  private val zones = Seq(
    "UTC",
    "+05:45",
    "America/New_York",
    "Australia/Lord_Howe",
    // Zones whose clocks change at midnight.
    "America/Sao_Paulo",
    "America/Havana",
    // This zone skipped 30 December 2011.
    "Pacific/Apia"
  ).map(ZoneId.of)

  private val hour = 3600L * 1000000L

  private def micros(instant: Instant): Long =
    instant.getEpochSecond * 1000000L + instant.getNano / 1000

  private def times(zone: ZoneId): Seq[Long] = {
    val random = new Random(7)
    val changes = Iterator
      .iterate(zone.getRules.nextTransition(Instant.parse("2009-01-01T00:00:00Z"))) {
        t => zone.getRules.nextTransition(t.getInstant)
      }
      .takeWhile(t => t != null && t.getInstant.isBefore(Instant.parse("2013-01-01T00:00:00Z")))
      .toVector
    val around = changes.flatMap { change =>
      (-27 to 27).map(h => micros(change.getInstant) + h * hour / 2L - h % 2)
    }
    random.shuffle(around ++ Seq.fill(300)(random.nextLong() >> 12) :+ 0L :+ -1L)
  }

  for (isMonths <- Seq(false, true); shift <- Seq(0L, 6L * hour + 1L, -5L * hour))
    test(s"${if (isMonths) "months" else "days"}, $shift later: each holds what its ends enclose") {
      zones.foreach { zone =>
        val units = new CalendarUnits(isMonths, shift, zone.getRules)
        times(zone).foreach { time =>
          val unit = units.of(time)
          val (start, next) = (units.start(unit), units.start(unit + 1L))
          withClue(s"$zone $time $unit: ")(assert(start <= time && time < next))
          val first =
            if (isMonths) LocalDate.of(1970, 1, 1).plusMonths(unit)
            else LocalDate.ofEpochDay(unit)
          val local = first.atStartOfDay.plusNanos(shift * 1000L)
          val change = zone.getRules.getTransition(local)
          // If the clocks skip the beginning of a day, the day begins at the change; a repeated
          // beginning counts at its first occurrence.
          val begins =
            if (change != null && change.isGap) change.getInstant
            else ZonedDateTime.ofLocal(local, zone, null).withEarlierOffsetAtOverlap.toInstant
          withClue(s"$zone $unit: ")(assert(start === micros(begins)))
        }
      }
    }

  test("days and months begin at the ticks of schedules") {
    for ((isMonths, schedule) <- Seq(false -> "daily", true -> "monthly"); zone <- zones) {
      val units = new CalendarUnits(isMonths, 0L, zone.getRules)
      val ticks = new ZonedTicks(LocalSchedule(schedule), zone.getRules)
      times(zone).foreach(t =>
        assert(units.start(units.of(t)) === ticks.before(t + 1L), s"$zone $t")
      )
    }
  }

  test("units near the limits of time end there") {
    for (isMonths <- Seq(false, true); zone <- zones) {
      val units = new CalendarUnits(isMonths, hour, zone.getRules)
      assert(units.start(units.of(Long.MaxValue) + 1L) === Long.MaxValue)
      assert(units.start(units.of(Long.MinValue)) === Long.MinValue)
      assert(units.start(1L << 60) === Long.MaxValue)
      assert(units.start(-(1L << 60)) === Long.MinValue)
    }
  }

  test("months of dates") {
    for (shift <- Seq(0L, 14L, -3L)) {
      val units: FieldUnits = new MonthsOfDates(shift)
      val random = new Random(3)
      Seq.fill(500)(random.nextInt().toLong).foreach { day =>
        val unit = units.of(day)
        assert(units.start(unit) <= day && day < units.start(unit + 1L))
        assert(LocalDate.ofEpochDay(units.start(unit) - shift).getDayOfMonth === 1)
      }
    }
  }
}

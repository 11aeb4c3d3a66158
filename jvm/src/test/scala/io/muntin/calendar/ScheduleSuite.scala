package io.muntin.calendar

import java.time._

import scala.util.Random

import io.muntin.kernel.SampledTests
import io.muntin.kernel.motions.Ticks

/** Schedules against their definition, minute by minute. */
class ScheduleSuite extends SampledTests {
  private val minute = 60L * 1000 * 1000

  private def weekday(day: DayOfWeek): Boolean = day.getValue <= 5

  /** The condition on a minute of the local clock. */
  private val schedules = Seq[(String, LocalDateTime => Boolean)](
    "minutely" -> (_ => true),
    "hourly" -> (_.getMinute == 0),
    "daily" -> (_.toLocalTime == LocalTime.MIDNIGHT),
    "weekly" -> (t => t.toLocalTime == LocalTime.MIDNIGHT && t.getDayOfWeek == DayOfWeek.MONDAY),
    "monthly" -> (t => t.toLocalTime == LocalTime.MIDNIGHT && t.getDayOfMonth == 1),
    "yearly" -> (t => t.toLocalTime == LocalTime.MIDNIGHT && t.getDayOfYear == 1),
    "* * * * *" -> (_ => true),
    "*/15 * * * *" -> (_.getMinute % 15 == 0),
    "7/20 * * * *" -> (t => Set(7, 27, 47)(t.getMinute)),
    "30 2 * * *" -> (_.toLocalTime == LocalTime.of(2, 30)),
    "*/20 2 * * *" -> (t => t.getHour == 2 && t.getMinute % 20 == 0),
    "15 0 * * *" -> (_.toLocalTime == LocalTime.of(0, 15)),
    "0 9 * * MON-FRI" -> (t => t.toLocalTime == LocalTime.of(9, 0) && weekday(t.getDayOfWeek)),
    "5-10/2,40 1-3 * * *" -> (t => Set(5, 7, 9, 40)(t.getMinute) && Set(1, 2, 3)(t.getHour)),
    "0 0 1 * *" -> (t => t.toLocalTime == LocalTime.MIDNIGHT && t.getDayOfMonth == 1),
    "0 0 29 2 *" -> (t =>
      t.toLocalTime == LocalTime.MIDNIGHT && t.getMonthValue == 2 && t.getDayOfMonth == 29
    ),
    "0 0 * * 7" -> (t =>
      t.toLocalTime == LocalTime.MIDNIGHT && t.getDayOfWeek == DayOfWeek.SUNDAY
    ),
    "0 12 13 * FRI" -> (t =>
      t.toLocalTime == LocalTime.NOON &&
        (t.getDayOfMonth == 13 || t.getDayOfWeek == DayOfWeek.FRIDAY)
    ),
    "0 */6 * 3,SEP-NOV *" -> (t =>
      t.getMinute == 0 && t.getHour % 6 == 0 && Set(3, 9, 10, 11)(t.getMonthValue)
    ),
    "59 23 31 12 *" -> (t =>
      t.toLocalTime == LocalTime.of(23, 59) && t.getMonthValue == 12 && t.getDayOfMonth == 31
    )
  )

  private val zones = Seq(
    "UTC",
    "+05:45",
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Asia/Beirut",
    "America/Havana",
    "Pacific/Apia"
  ).map(ZoneId.of)

  private def ticks(text: String, zone: ZoneId): Ticks =
    new ZonedTicks(LocalSchedule(text), zone.getRules)

  private def micros(instant: Instant): Long =
    instant.getEpochSecond * 1000000L + instant.getNano / 1000

  private def micros(time: String): Long = micros(Instant.parse(time))

  /**
   * Returns the ticks from `from` until `until` by definition, for zones whose offsets are whole
   * minutes.
   */
  private def defined(
      isTick: LocalDateTime => Boolean,
      isHourly: Boolean,
      zone: ZoneId,
      from: Instant,
      until: Instant
  ): Seq[Long] = {
    val rules = zone.getRules
    val passedOver = Iterator
      .iterate(Option(rules.nextTransition(from.minusNanos(1))))(
        _.flatMap(t => Option(rules.nextTransition(t.getInstant)))
      )
      .takeWhile(_.exists(_.getInstant.isBefore(until)))
      .flatten
      .filter { t =>
        t.isGap && Iterator.iterate(t.getDateTimeBefore)(_.plusMinutes(1))
          .takeWhile(_.isBefore(t.getDateTimeAfter)).exists(isTick)
      }
      .map(_.getInstant)
      .toSet
    def isSecond(time: ZonedDateTime) = {
      val offsets = rules.getValidOffsets(time.toLocalDateTime)
      offsets.size == 2 && offsets.get(1) == time.getOffset
    }
    Iterator
      .iterate(from)(_.plusSeconds(60))
      .takeWhile(_.isBefore(until))
      .filter { instant =>
        val time = instant.atZone(zone)
        isTick(time.toLocalDateTime) && (isHourly || !isSecond(time)) || passedOver(instant)
      }
      .map(micros)
      .toSeq
  }

  /** Returns the first tick that is not less. */
  private def search(all: Array[Long], time: Long) = {
    val found = java.util.Arrays.binarySearch(all, time)
    if (found >= 0) found else -found - 1
  }

  private def check(found: Ticks, expected: Seq[Long], from: Long, until: Long, name: String) = {
    val all = expected.toArray
    val random = new Random(from)
    val times = expected.flatMap(t => Seq(t - 1, t, t + 1)) ++
      Seq.fill(100)(random.between(from, until))
    times.filter(t => t >= from && t < until).foreach { t =>
      val next = search(all, t)
      if (next == all.length) assert(found.atOrAfter(t) >= until, s"$name at or after $t")
      else assert(found.atOrAfter(t) === all(next), s"$name at or after $t")
      val previous = next - 1
      if (previous < 0) assert(found.before(t) < from, s"$name before $t")
      else assert(found.before(t) === all(previous), s"$name before $t")
    }
  }

  sampledTest("around the changes of clocks") {
    for ((text, isTick) <- schedules; zone <- zones) {
      val random = new Random(text.hashCode)
      val rules = zone.getRules
      val seen = Seq.fill(2)(
        Instant.ofEpochSecond(random.between(-600000000L, 4000000000L))
      ) ++ Seq("2011-12-01T00:00:00Z", "2017-09-01T00:00:00Z", "2026-02-28T00:00:00Z")
        .map(Instant.parse)
      val found = ticks(text, zone)
      seen.foreach { time =>
        val change = Option(rules.nextTransition(time)).fold(time)(_.getInstant)
        val from = Instant.ofEpochSecond(change.getEpochSecond / 60 * 60).minus(Duration.ofDays(1))
        val until = from.plus(Duration.ofDays(3))
        val hourly = LocalSchedule(text).isHourly
        val expected = defined(isTick, hourly, zone, from, until)
        check(found, expected, micros(from), micros(until), s"$text in $zone")
      }
    }
  }

  test("over the years") {
    schedules.filterNot { case (text, _) => LocalSchedule(text).shortest < 24 * 60 * minute }
      .foreach { case (text, isTick) =>
        Seq(1582, 1890, 1969, 2096).foreach { year =>
          val first = LocalDate.of(year, 3, 3)
          val days = Iterator.iterate(first)(_.plusDays(1)).takeWhile(_.getYear < year + 10).toSeq
          val minutes = for { hour <- 0 to 23; minute <- Seq(0, 15, 30, 59) } yield (hour, minute)
          val expected = days.flatMap(d => minutes.map { case (h, m) => d.atTime(h, m) })
            .filter(isTick).map(t => micros(t.toInstant(ZoneOffset.UTC)))
          val from = micros(first.atStartOfDay.toInstant(ZoneOffset.UTC))
          val until = micros(days.last.atStartOfDay.toInstant(ZoneOffset.UTC))
          val found = ticks(text, ZoneOffset.UTC)
          check(found, expected, from, until, s"$text from $year")
        }
      }
  }

  test("names are equal to cron expressions, at any time and in every zone") {
    val same = Seq(
      "minutely" -> "* * * * *",
      "hourly" -> "0 * * * *",
      "daily" -> "0 0 * * *",
      "weekly" -> "0 0 * * 1",
      "monthly" -> "0 0 1 * *",
      "yearly" -> "0 0 1 1 *"
    )
    val random = new Random(6)
    for ((name, cron) <- same; zone <- zones) {
      val (one, other) = (ticks(name, zone), ticks(cron, zone))
      Seq.fill(300)(random.between(-100000000000000000L, 300000000000000000L)).foreach { t =>
        assert(one.atOrAfter(t) === other.atOrAfter(t), s"$name in $zone at or after $t")
        assert(one.before(t) === other.before(t), s"$name in $zone before $t")
      }
    }
  }

  private def between(text: String, zone: String, from: String, until: String): Seq[String] = {
    val found = ticks(text, ZoneId.of(zone))
    Iterator
      .iterate(found.atOrAfter(micros(from)))(t => found.atOrAfter(t + 1))
      .takeWhile(_ <= micros(until))
      .map(t =>
        Instant.ofEpochSecond(t / 1000000).atZone(ZoneId.of(zone)).toOffsetDateTime.toString
      )
      .toSeq
  }

  test("nights with a change of the clocks") {
    def ofDay(text: String, zone: String, date: String) = {
      val day = LocalDate.parse(date)
      def start(d: LocalDate) = d.atStartOfDay(ZoneId.of(zone)).toInstant
      between(text, zone, start(day).plusNanos(1000).toString, start(day.plusDays(1)).toString)
    }
    assert(ofDay("hourly", "America/New_York", "2026-11-01").size === 25)
    assert(ofDay("hourly", "America/New_York", "2026-03-08").size === 23)
    assert(ofDay("minutely", "America/New_York", "2026-11-01").size === 25 * 60)
    assert(ofDay("daily", "America/New_York", "2026-11-01") === Seq("2026-11-02T00:00-05:00"))
    assert(ofDay("30 1 * * *", "America/New_York", "2026-11-01") === Seq("2026-11-01T01:30-04:00"))
    assert(ofDay("30 2 * * *", "America/New_York", "2026-03-08") === Seq("2026-03-08T03:00-04:00"))
    assert(ofDay("30 2 * * *", "Europe/Berlin", "2026-10-25") === Seq("2026-10-25T02:30+02:00"))
    assert(ofDay("*/30 2 * * *", "Europe/Berlin", "2026-03-29") === Seq("2026-03-29T03:00+02:00"))
    // Half an hour.
    assert(ofDay("hourly", "Australia/Lord_Howe", "2026-10-04").take(3) ===
      Seq("2026-10-04T01:00+10:30", "2026-10-04T02:30+11:00", "2026-10-04T03:00+11:00"))
    assert(ofDay("hourly", "Australia/Lord_Howe", "2026-04-05").size === 24)
    // There is no midnight, so the day begins at one.
    assert(between("daily", "America/Sao_Paulo", "2017-10-14T12:00:00Z", "2017-10-16T12:00:00Z") ===
      Seq("2017-10-15T01:00-02:00", "2017-10-16T00:00-02:00"))
    assert(between("daily", "Asia/Beirut", "2022-03-26T12:00:00Z", "2022-03-27T12:00:00Z") ===
      Seq("2022-03-27T01:00+03:00"))
    // Midnight occurs twice.
    assert(between("daily", "America/Havana", "2026-11-01T00:00:00Z", "2026-11-02T12:00:00Z") ===
      Seq("2026-11-01T00:00-04:00", "2026-11-02T00:00-05:00"))
    assert(between("hourly", "America/Havana", "2026-11-01T04:00:00Z", "2026-11-01T06:00:00Z") ===
      Seq("2026-11-01T00:00-04:00", "2026-11-01T00:00-05:00", "2026-11-01T01:00-05:00"))
    // A skipped day.
    assert(between("daily", "Pacific/Apia", "2011-12-29T12:00:00Z", "2012-01-01T00:00:00Z") ===
      Seq("2011-12-31T00:00+14:00", "2012-01-01T00:00+14:00"))
  }

  test("the limits of time") {
    for ((text, _) <- schedules; zone <- zones) {
      val found = ticks(text, zone)
      val years = 20L * 366 * 24 * 60 * minute
      assert(found.atOrAfter(Long.MinValue + years) < Long.MinValue + 2 * years)
      assert(found.before(Long.MaxValue - years) > Long.MaxValue - 2 * years)
      assertThrows[ArithmeticException](found.atOrAfter(Long.MaxValue))
      assertThrows[ArithmeticException](found.before(Long.MinValue))
    }
  }

  test("cached ticks are equal") {
    val random = new Random(7)
    for ((text, _) <- schedules; zone <- zones) {
      val plain = ticks(text, zone)
      val remembered = new CachedTicks(ticks(text, zone), LocalSchedule(text).shortest)
      val near = random.between(-1000000000000000L, 3000000000000000L)
      val reach = Seq(100 * minute, 200000 * minute, 200000000 * minute)(random.nextInt(3))
      val times = Seq.fill(2000)(near + random.between(0L, reach))
      times.foreach(t => assert(remembered.atOrAfter(t) === plain.atOrAfter(t), s"$text at $t"))
      var tick = near
      (0 until 500).foreach { _ =>
        val next = remembered.atOrAfter(tick + 1)
        assert(next === plain.atOrAfter(tick + 1))
        assert(remembered.before(next) === plain.before(next))
        tick = next
      }
    }
  }

  test("invalid schedules are rejected") {
    Seq(
      "fortnightly" -> "five fields",
      "" -> "five fields",
      "@daily" -> "five fields",
      "0 0 1 * * *" -> "five fields",
      "60 * * * *" -> "60",
      "* 24 * * *" -> "24",
      "* * 0 * *" -> "0",
      "* * * 13 *" -> "13",
      "* * * * 8" -> "8",
      "* * * * MOON" -> "MOON",
      "5-1 * * * *" -> "5",
      "*/0 * * * *" -> "0",
      "1-5/ * * * *" -> "",
      "1, * * * *" -> "1,",
      "0 0 L * *" -> "",
      "0 0 15W * *" -> "",
      "0 0 ? * *" -> "",
      "0 0 * * 5#2" -> "",
      "0 0 -1 * *" -> "",
      "x y z a b" -> "",
      "0|1 * * * *" -> "",
      "0 0 30 2 *" -> "days do not exist",
      "0 0 31 2,4,6,9,11 *" -> "days do not exist"
    ).foreach { case (text, part) =>
      val error = intercept[IllegalArgumentException](LocalSchedule(text))
      assert(error.getMessage != null && error.getMessage.contains(part), text)
    }
    assert(LocalSchedule("0 0 30 2 MON").shortest > 0)
  }
}

package org.apache.spark.sql.muntin

import java.sql.Timestamp
import java.time.{Instant, LocalDate, LocalDateTime, Period, ZoneId}

import scala.util.Random

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.types._

/** tumble and hop, against Spark's window, and calendar windows against java.time. */
class TumbleSuite extends MuntinSession {
  private val newYork = ZoneId.of("America/New_York")

  /** Around the change of New York's clocks in spring, and some months. */
  private val times: Seq[Instant] = {
    val random = new Random(11)
    val change = Instant.parse("2026-03-08T07:00:00Z")
    Seq.fill(150)(change.plusSeconds(random.nextInt(4 * 86400).toLong - 2 * 86400)) ++
      Seq.fill(150)(change.plusMillis(random.nextLong() % (200L * 86400 * 1000))) ++
      Seq(0, 3600, 21 * 3600, -7 * 3600, -100 * 86400).map(s => change.plusSeconds(s.toLong)) :+
      Instant.parse("1969-12-31T23:59:59.999999Z")
  }

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val rows = times.zipWithIndex.map { case (t, i) => Row(s"k${i % 3}", Timestamp.from(t), i) }
    val schema = StructType(
      Seq(
        StructField("k", StringType),
        StructField("t", TimestampType),
        StructField("i", IntegerType)
      )
    )
    Tables.of(spark, rows, schema).createOrReplaceTempView("times")
    spark.sql(
      "CREATE TEMP VIEW typed AS SELECT *, CAST(to_utc_timestamp(t, 'UTC') AS TIMESTAMP_NTZ) AS ntz, " +
        "CAST(t AS DATE) AS day FROM times"
    ): Unit
  }

  /** The rows of a query, which must be equal with and without panes. */
  private def rows(query: String): Seq[String] = {
    def run(panes: Boolean) = withConf(MuntinConf.PanesEnabled.key -> panes.toString) {
      val frame = spark.sql(query)
      assert(nodes(frame) { case w: GroupWindowsExec => w }.nonEmpty)
      assert(nodes(frame) { case p: PanePartialsExec => p }.nonEmpty === panes)
      frame.collect().map(_.toString).sorted.toSeq
    }
    val paned = run(panes = true)
    assert(paned === run(panes = false), query)
    paned
  }

  private val values = "count(*), sum(i), max(i)"

  test("equal to Spark's window for any size, slide and offset") {
    val random = new Random(5)
    val some = Seq.fill(3) {
      val slide = 1 + random.nextInt(90)
      val size = slide + random.nextInt(200)
      (s"$size minutes", s"$slide minutes", s"${random.nextInt(slide)} minutes")
    } ++ Seq(
      ("1 hour", "1 hour", "0 seconds"),
      ("24 hours", "24 hours", "6 hours"),
      ("1 day", "1 hour", "0 seconds"),
      ("7 days", "1 day", "0 seconds"),
      ("1 week", "1 week", "4 days"),
      ("10 seconds", "3 seconds", "-1 second"),
      ("100 microseconds", "70 microseconds", "1 microsecond")
    )
    for (((size, slide, offset), i) <- some.zipWithIndex if Repeats.selects(i, 3)) {
      val time = if (i % 2 == 0) "t" else "ntz"
      def asked(column: String, name: String) =
        s"SELECT k, $name.start, $name.end, $values FROM typed GROUP BY k, $column"
      val wanted = spark
        .sql(asked(s"window($time, '$size', '$slide', '$offset')", "window"))
        .collect().map(_.toString).sorted.toSeq
      val found =
        if (size == slide) asked(s"tumble($time, '$size', '$offset')", "tumble")
        else asked(s"hop($time, '$slide', '$size', '$offset')", "hop")
      assert(rows(found) === wanted)
    }
  }

  /** The start of a window at a local date, and its rows, by definition. */
  private def calendar(
      slide: Period,
      size: Period,
      zone: ZoneId,
      shift: LocalDateTime => LocalDateTime = identity
  ): Seq[String] = {
    val origin = LocalDate.of(1970, 1, 1)
    def at(date: LocalDate) = shift(date.atStartOfDay).atZone(zone).toInstant
    val count = if (slide.getMonths > 0) 12 * 60 else 22000
    (-80 to count).iterator
      .map(n => origin.plus(slide.multipliedBy(n)))
      .flatMap { date =>
        val (start, end) = (at(date), at(date.plus(size)))
        val in = times.zipWithIndex.filter { case (t, _) => !t.isBefore(start) && t.isBefore(end) }
        Option.when(in.nonEmpty)(
          s"[$start,$end,${in.size},${in.map(_._2).sum},${in.map(_._2).max}]"
        )
      }
      .toVector
      .sorted
  }

  private def instants(column: String, call: String): Seq[String] = {
    def text(end: String) = s"date_format($column.$end, \"yyyy-MM-dd'T'HH:mm:ss'Z'\")"
    rows(s"SELECT ${text("start")}, ${text("end")}, $values FROM times GROUP BY $call")
  }

  test("whole days, weeks, months and years follow the calendar of the time zone") {
    val zone = s"time_zone => '$newYork'"
    for (
      ((slide, size, of), i) <- Seq(
        ("1 day", "1 day", (Period.ofDays(1), Period.ofDays(1))),
        ("1 day", "7 days", (Period.ofDays(1), Period.ofDays(7))),
        ("2 days", "3 days", (Period.ofDays(2), Period.ofDays(3))),
        ("1 week", "1 week", (Period.ofDays(7), Period.ofDays(7))),
        ("1 month", "1 month", (Period.ofMonths(1), Period.ofMonths(1))),
        ("2 months", "3 months", (Period.ofMonths(2), Period.ofMonths(3))),
        ("1 year", "1 year", (Period.ofMonths(12), Period.ofMonths(12)))
      ).zipWithIndex
      if Repeats.selects(i, 3)
    ) withClue(s"$slide $size: ") {
      val wanted = calendar(of._1, of._2, newYork)
      val found =
        if (slide == size) instants("tumble", s"tumble(t, '$size', $zone)")
        else instants("hop", s"hop(t, '$slide', '$size', $zone)")
      assert(found === wanted)
    }
    // The session's zone, an interval, and days that begin at 3 o'clock, when clocks change.
    val three = calendar(Period.ofDays(1), Period.ofDays(1), newYork, _.plusHours(3))
    assert(instants("tumble", s"tumble(t, INTERVAL 1 DAY, '3 hours', '$newYork')") === three)
    assert(instants("tumble", s"tumble(t, '1 day', 10800, '$newYork')") === three)
    assert(instants("tumble", s"tumble(t, '1 month', '9 days', '$newYork')") ===
      calendar(Period.ofMonths(1), Period.ofMonths(1), newYork, _.plusDays(9)))
    val day = s"SELECT CAST(tumble.start AS STRING), $values FROM times GROUP BY tumble(t, '1 day')"
    withConf("spark.sql.session.timeZone" -> newYork.toString) {
      assert(rows(day).exists(_.startsWith("[2026-03-09 00:00:00,")))
      assert(rows(day) === rows(day.replace("'1 day'", "INTERVAL '1' DAY")))
      assert(rows(day) !== rows(day.replace("'1 day'", "'24 hours'")))
      assert(rows(day.replace("'1 day'", "INTERVAL 24 HOURS")) ===
        rows(day.replace("'1 day'", "86400")))
    }
  }

  test("times without a zone, dates and numbers") {
    val months = "SELECT CAST(tumble.start AS STRING), CAST(tumble.end AS STRING), count(*) FROM "
    val utc = rows(s"${months}typed GROUP BY tumble(t, '1 month', time_zone => 'UTC')")
    assert(utc === rows(s"${months}typed GROUP BY tumble(ntz, '1 month')"))
    assert(utc.map(_.replace(" 00:00:00", "")) ===
      rows(s"${months}typed GROUP BY tumble(day, '1 month')"))
    val jan =
      "(SELECT explode(sequence(DATE'2026-01-01', DATE'2026-03-31')) AS day)"
    def days(call: String) =
      rows(
        "SELECT CAST(w.start AS STRING), n FROM " +
          s"(SELECT $call AS w, count(*) AS n FROM $jan GROUP BY w)"
      )
    assert(days("tumble(day, '1 month')") ===
      Seq("[2026-01-01,31]", "[2026-02-01,28]", "[2026-03-01,31]"))
    assert(days("tumble(day, '1 month', '14 days')").head === "[2025-12-15,14]")
    assert(days("tumble(day, INTERVAL 3 MONTHS, INTERVAL 1 MONTH)") ===
      Seq("[2025-11-01,31]", "[2026-02-01,59]"))
    assert(days("tumble(day, '1 week', '4 days')").head === "[2025-12-29,4]")
    assert(days("hop(day, 7, 14)") === days("hop(day, '1 week', '2 weeks')"))
    def numbers(type_ : String) = spark.sql(
      "SELECT CAST(w.start AS INT), CAST(w.end AS INT), total FROM (SELECT sum(x) AS total, " +
        s"hop(CAST(x AS $type_), 5, 10) AS w FROM VALUES (1), (9), (10), (14) AS v(x) GROUP BY w)"
    ).collect().map(_.toString).sorted.toSeq
    for (type_ <- Seq("INT", "BIGINT", "DOUBLE", "DECIMAL(9, 2)", "DECIMAL(30, 2)"))
      assert(numbers(type_) === Seq("[-5,5,1]", "[0,10,10]", "[10,20,24]", "[5,15,33]"), type_)
  }

  test("the window is a column of times that Spark recognizes as a window") {
    val frame = spark.sql("SELECT tumble, count(*) FROM times GROUP BY tumble(t, '1 day')")
    assert(frame.schema.head.dataType.asInstanceOf[StructType].map(f => (f.name, f.dataType)) ===
      Seq("start" -> TimestampType, "end" -> TimestampType))
    val ends = frame.select(expr("window_time(tumble)"), expr("tumble.end")).collect().toSeq
    assert(ends.forall(r =>
      r.getTimestamp(0).toInstant.plusNanos(1000L) == r.getTimestamp(1).toInstant
    ))
  }

  test("drain => false does not emit windows that no row has passed, including calendar windows") {
    def starts(more: String) = spark.sql(
      "SELECT CAST(tumble.start AS STRING) FROM VALUES (TIMESTAMP'2026-01-30 12:00:00'), " +
        s"(TIMESTAMP'2026-02-01 00:00:00') AS v(t) GROUP BY tumble(t, '1 month'$more)"
    ).collect().map(_.getString(0)).toSet
    assert(starts("") === Set("2026-01-01 00:00:00", "2026-02-01 00:00:00"))
    assert(starts(", drain => false") === Set("2026-01-01 00:00:00"))
  }

  test("invalid arguments and rows are rejected") {
    def refused(call: String)(condition: String, parameters: (String, String)*): Unit =
      assertCondition(
        intercept[AnalysisException] {
          spark.sql(s"SELECT count(*) FROM typed GROUP BY $call").collect()
        },
        condition,
        parameters: _*
      )
    val wrongValue = "MUNTIN_INVALID_ARGUMENT_VALUE"
    refused("hop(t, '2 hours', '1 hour')")(
      "MUNTIN_WINDOWS_WITH_GAPS",
      "function" -> "hop",
      "parameter" -> "slide",
      "argument" -> "'2 hours'",
      "size" -> "'1 hour'"
    )
    refused("hop(t, '1 month', '1 week')")("MUNTIN_MIXED_MONTHS", "parameter" -> "size")
    refused("hop(t, '1 day', '1 month')")("MUNTIN_MIXED_MONTHS", "parameter" -> "slide")
    Seq("0 hours", "-1 day", "-1 month", "hour").foreach { size =>
      refused(s"tumble(t, '$size')")(wrongValue, "parameter" -> "size", "argument" -> s"'$size'")
    }
    refused("tumble(t, NULL)")(wrongValue, "parameter" -> "size", "argument" -> "NULL")
    refused("tumble(t, i)")(wrongValue, "parameter" -> "size")
    refused("tumble(t, '1 day', '1 month')")("MUNTIN_OFFSET_WITH_MONTHS", "offset" -> "'1 month'")
    refused("tumble(t, '1 hour', '1 month')")("MUNTIN_OFFSET_WITH_MONTHS")
    refused("tumble(day, '1 month', '1 hour')")(wrongValue, "parameter" -> "offset")
    refused("tumble(day, '1 hour')")(wrongValue, "parameter" -> "size")
    refused("tumble(t, '1 hour', time_zone => 'Asia/Tokyo')")(
      "MUNTIN_TIME_ZONE_WITHOUT_CALENDAR",
      "timeZone" -> "'Asia/Tokyo'"
    )
    refused("tumble(ntz, '1 day', time_zone => 'Asia/Tokyo')")(
      "MUNTIN_TIME_ZONE_OF_LOCAL_TIME",
      "type" -> "TIMESTAMP_NTZ"
    )
    refused("tumble(t, '1 day', time_zone => 'Tokio')")(wrongValue, "parameter" -> "time_zone")
    refused("tumble(k, '1 day')")("MUNTIN_INVALID_ARGUMENT_TYPE", "parameter" -> "time")
    refused("tumble(i, '1 day')")(wrongValue, "parameter" -> "size")
    def failed(call: String)(condition: String, parameters: (String, String)*): Unit =
      for (panes <- Seq("true", "false")) withConf(MuntinConf.PanesEnabled.key -> panes) {
        assertFails(condition, parameters: _*)(spark.sql(
          s"SELECT count(*) FROM VALUES (TIMESTAMP'294247-01-09 00:00:00'), (NULL) AS v(t) $call"
        ).collect())
      }
    for (size <- Seq("1 hour", "1 day", "1 month"))
      failed(s"WHERE t IS NULL GROUP BY tumble(t, '$size')")(
        "MUNTIN_NULL_WINDOW_FIELD",
        "function" -> "tumble",
        "parameter" -> "time",
        "field" -> "v.t"
      )
    failed("WHERE t IS NOT NULL GROUP BY tumble(t, '1 month')")("MUNTIN_WINDOW_OUT_OF_RANGE")
  }
}

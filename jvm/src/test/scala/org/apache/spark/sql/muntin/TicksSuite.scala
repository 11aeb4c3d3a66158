package org.apache.spark.sql.muntin

import java.sql.Timestamp
import java.time._
import java.time.temporal.ChronoUnit

import scala.util.Random

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.FilterExec
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.functions.{call_function, col, count, lit, sum}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.types._

/** Queries with ticks. */
class TicksSuite extends MuntinSession {
  private val newYork = ZoneId.of("America/New_York")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      "CREATE TEMP VIEW purchases AS SELECT * FROM VALUES (DATE'2012-02-23', 5), " +
        "(DATE'2012-05-10', 2), (DATE'2018-11-03', 13), (DATE'2019-10-26', 4) AS purchases(t, amount)"
    ): Unit
  }

  private def rows(query: String): Seq[Row] = rows(spark.sql(query))

  private def rows(frame: DataFrame): Seq[Row] = {
    assert(nodes(frame) { case w: GroupWindowsExec => w }.nonEmpty)
    frame.collect().toSeq.sortBy(_.toString)
  }

  private val ways = for { panes <- Seq(true, false); adaptive <- Seq(true, false) } yield Seq(
    MuntinConf.PanesEnabled.key -> panes.toString,
    "spark.sql.adaptive.enabled" -> adaptive.toString
  )

  private def eachWay(body: => Any): Unit = in(ways)(body)

  private def in(some: Seq[Seq[(String, String)]])(body: => Any): Unit =
    some.foreach(settings => withClue(settings)(withConf(settings: _*)(body)))

  test("Fenl's page: yearly totals") {
    val totals = Seq(7, 0, 0, 0, 0, 0, 13, 4)
    eachWay {
      assert(rows(
        "SELECT ticks.start, ticks.end, coalesce(sum(amount), 0) FROM purchases " +
          "GROUP BY ticks(t, 'yearly')"
      ) === totals.zip(2013 to 2020).map { case (total, year) =>
        Row(
          java.sql.Date.valueOf(s"${year - 1}-01-01"),
          java.sql.Date.valueOf(s"$year-01-01"),
          total
        )
      })
      Seq("timestamp", "timestamp_ntz").foreach { dataType =>
        assert(rows(
          "SELECT year(ticks.end), coalesce(sum(amount), 0), count(*) FROM (SELECT CAST(t AS " +
            s"$dataType) AS t, amount FROM purchases) GROUP BY ticks(t, 'yearly')"
        ).map(r => (r.getInt(0), r.getLong(1))) === (2013 to 2020).zip(totals))
      }
    }
  }

  test("a row at the tick belongs to the window that ends there") {
    eachWay {
      assert(rows(
        "SELECT day(ticks.end), count(*) FROM VALUES (TIMESTAMP_NTZ'2026-01-01 00:00:00'), " +
          "(TIMESTAMP_NTZ'2026-01-01 00:00:00.000001'), (TIMESTAMP_NTZ'2026-01-02 00:00:00') AS d(t) " +
          "GROUP BY ticks(t, 'daily')"
      ) === Seq(Row(1, 1L), Row(2, 2L)))
    }
  }

  test("closed => 'left': the row belongs to the window that begins there, as for a DATE") {
    val days = "(SELECT explode(sequence(DATE'2026-01-01', DATE'2026-03-31')) AS day)"
    def totals(time: String, more: String) = rows(
      s"SELECT CAST(ticks.start AS DATE), count(*) FROM $days " +
        s"GROUP BY ticks($time, 'monthly'$more)"
    ).map(r => (String.valueOf(r.get(0)), r.get(1)))
    val months = Seq(("2026-01-01", 31L), ("2026-02-01", 28L), ("2026-03-01", 31L))
    val right = Seq(
      ("2025-12-01", 1L),
      ("2026-01-01", 31L),
      ("2026-02-01", 28L),
      ("2026-03-01", 30L)
    )
    eachWay {
      assert(totals("day", "") === months)
      assert(totals("day", ", closed => 'right'") === right)
      for (time <- Seq("CAST(day AS TIMESTAMP)", "CAST(day AS TIMESTAMP_NTZ)")) {
        assert(totals(time, ", closed => 'left'") === months)
        assert(totals(time, "") === right)
      }
      assert(totals("day", ", span => 2").map(_._2) === Seq(31L, 59L, 59L))
      assert(totals("day", ", span => NULL").map(_._2) === Seq(31L, 59L, 90L))
      // March is not over: a row of 31 March may still arrive.
      assert(totals("day", ", drain => false") === months.take(2))
      // A tick has passed if a row is at the tick.
      val april = totals("day + 1", ", drain => false")
      assert(april === Seq(("2026-01-01", 30L), ("2026-02-01", 28L), ("2026-03-01", 31L)))
    }
    assertFails("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> "closed") {
      totals("day", ", closed => 'both'")
    }
  }

  test("drain => false does not return ticks that no row has passed") {
    def ends(last: String) = rows(
      "SELECT day(ticks.end), count(*) FROM VALUES ('a', TIMESTAMP_NTZ'2026-01-01 12:00:00'), " +
        s"('b', TIMESTAMP_NTZ'$last') AS d(k, t) GROUP BY k, ticks(t, 'daily', drain => false)"
    )
    eachWay {
      assert(ends("2026-01-03 00:00:00") === Seq(Row(2, 1L)))
      assert(ends("2026-01-03 00:00:00.000001") === Seq(Row(2, 1L), Row(3, 0L)))
      assert(ends("2026-01-01 12:00:00") === Nil)
    }
  }

  test("time zones: an argument, the session's, none") {
    // 04:30 UTC on 1 March is the evening before in New York.
    def month(arguments: String) = rows(
      "SELECT CAST(ticks.end AS STRING) FROM VALUES (TIMESTAMP'2026-03-01 04:30:00Z') AS d(t) " +
        s"GROUP BY ticks(t, 'monthly'$arguments)"
    )
    eachWay {
      assert(month("") === Seq(Row("2026-04-01 00:00:00")))
      assert(month(", 'America/New_York'") === Seq(Row("2026-03-01 05:00:00")))
      assert(month(", timezone => '-05:00'") === Seq(Row("2026-03-01 05:00:00")))
      withConf("spark.sql.session.timeZone" -> "America/New_York") {
        assert(month("") === Seq(Row("2026-03-01 00:00:00")))
        assert(month(", 'UTC'") === Seq(Row("2026-03-31 20:00:00")))
      }
    }
  }

  test("dates: ticks at the beginning of days are dates") {
    eachWay {
      val monthly =
        spark.sql("SELECT ticks.end FROM purchases GROUP BY ticks(t, '0 0 1 * *')")
      assert(monthly.schema.head.dataType === DateType)
      assert(monthly.count() === 93)
      val nine = spark.sql(
        "SELECT ticks.end, count(*) FROM purchases WHERE amount = 13 GROUP BY ticks(t, '0 9 * * MON-FRI')"
      )
      assert(nine.schema.head.dataType === TimestampNTZType)
      // A Saturday.
      assert(nine.collect() === Seq(Row(LocalDateTime.parse("2018-11-05T09:00:00"), 1L)))
    }
  }

  private type Result = (Int, Long, Long, Seq[Any])

  private def micros(instant: Instant): Long = ChronoUnit.MICROS.between(Instant.EPOCH, instant)

  /** Returns every tick of these years, computed in another way. */
  private val schedules: Seq[(String, Vector[Long])] = {
    val days = Iterator.iterate(LocalDate.of(2025, 1, 1))(_.plusDays(1))
      .takeWhile(_.getYear < 2028).toVector
    val first = days.head.atStartOfDay(newYork).toInstant
    def of(dates: Vector[LocalDate], hour: Int = 0) =
      dates.map(d => micros(d.atTime(hour, 0).atZone(newYork).toInstant))
    // The offsets of New York are whole hours.
    val end = of(days).last
    def each(minutes: Int) = Iterator.iterate(first)(_.plusSeconds(60L * minutes))
      .map(micros).takeWhile(_ < end).toVector
    Seq(
      "minutely" -> each(1),
      "hourly" -> each(60),
      "daily" -> of(days),
      "weekly" -> of(days.filter(_.getDayOfWeek == DayOfWeek.MONDAY)),
      "monthly" -> of(days.filter(_.getDayOfMonth == 1)),
      "*/20 * * * *" -> each(20),
      "0 9 * * MON-FRI" -> of(days.filter(_.getDayOfWeek.getValue <= 5), 9)
    )
  }

  private case class Sale(k: Int, t: Long, x: Option[Int])

  private def oracle(
      sales: Seq[Sale],
      ticks: Vector[Long],
      span: Option[Int],
      drain: Boolean,
      left: Boolean
  )(aggregate: Seq[Sale] => Seq[Any]): Set[Result] = {
    // Returns true if a row at `t` is in windows that end at `tick`, and not after it.
    def isUntil(t: Long, tick: Long) = if (left) t < tick else t <= tick
    val newest = sales.map(_.t).max
    sales.groupBy(_.k).toSeq.flatMap { case (k, group) =>
      val first = group.map(_.t).min
      ticks.indices.drop(1)
        .filter(i => isUntil(first, ticks(i)) && !isUntil(newest, ticks(i - 1)))
        .filter(i => drain || !isUntil(newest, ticks(i)))
        .map { i =>
          val end = ticks(i)
          val start = span.fold(Long.MinValue)(n => ticks(i - n))
          (k, start, end, aggregate(group.filter(s => !isUntil(s.t, start) && isUntil(s.t, end))))
        }
    }.toSet
  }

  private def checkRandom(columns: String, paned: Boolean)(
      aggregate: Seq[Sale] => Seq[Any]
  ): Unit = {
    val random = new Random(columns.length)
    for {
      (schedule, ticks) <- schedules
      span <- Seq(Some(1), Some(3), None)
    } {
      val left = random.nextBoolean()
      val change =
        Instant.parse(Seq("2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z")(random.nextInt(2)))
      // A few dozen ticks of any schedule.
      val reach =
        math.min(30L * (ticks(101.min(ticks.size - 1)) - ticks.head) / 100, 86400000000L * 200)
      val sales = Seq.fill(random.between(1, 120)) {
        val at = micros(change) + random.between(-reach, reach)
        val t = if (random.nextInt(4) == 0) ticks.find(_ >= at).get else at
        Sale(random.nextInt(4), t, Option.when(random.nextInt(5) > 0)(random.between(-9, 10)))
      }
      val data = sales.map(s => Row(s.k, s.t, s.x.map(Int.box).orNull))
      val schema = new StructType().add("k", IntegerType).add("t", LongType).add("x", IntegerType)
      Tables.of(spark, data, schema, slices = 3)
        .selectExpr("k", "timestamp_micros(t) AS t", "x").createOrReplaceTempView("sales")
      val drain = random.nextBoolean()
      val query = s"SELECT k, unix_micros(ticks.start), unix_micros(ticks.end), $columns FROM sales " +
        s"GROUP BY k, ticks(t, '$schedule', 'America/New_York', span => ${span.getOrElse("NULL")}, " +
        s"drain => $drain, closed => '${if (left) "left" else "right"}')"
      val expected = oracle(sales, ticks, span, drain, left)(aggregate)
      // With and without panes, in turn with and without adaptive execution.
      val first = random.nextInt(2)
      in(Seq(ways(first), ways(3 - first)).take(if (paned) 2 else 1)) {
        val frame = spark.sql(query)
        val panes = nodes(frame) { case p: PanePartialsExec => p }
        assert(panes.nonEmpty ===
          (paned && spark.conf.get(MuntinConf.PanesEnabled.key).toBoolean))
        val found = rows(frame).map { r =>
          (
            r.getInt(0),
            if (r.isNullAt(1)) Long.MinValue else r.getLong(1),
            r.getLong(2),
            r.toSeq.drop(3)
          )
        }
        assert(found.size === expected.size, query)
        assert(found.toSet === expected, query)
      }
    }
  }

  sampledTest("random rows, aggregates of panes") {
    checkRandom("count(*), count(x), sum(x), max(x), avg(x)", paned = true) { sales =>
      val xs = sales.flatMap(_.x)
      val none = xs.isEmpty
      Seq[Any](
        sales.size.toLong,
        xs.size.toLong,
        if (none) null else xs.sum.toLong,
        if (none) null else xs.max,
        if (none) null else xs.sum.toDouble / xs.size
      )
    }
  }

  sampledTest("random rows, aggregates of every row") {
    checkRandom(
      "count(DISTINCT x), sort_array(collect_list(x)), median(x), sum(x) FILTER (WHERE x > 0)",
      paned = false
    ) { sales =>
      val xs = sales.flatMap(_.x).sorted
      val middle =
        if (xs.isEmpty) null else (xs((xs.size - 1) / 2) + xs(xs.size / 2)) / 2.0
      val positive = xs.filter(_ > 0)
      Seq[Any](
        xs.distinct.size.toLong,
        xs,
        middle,
        if (positive.isEmpty) null else positive.sum.toLong
      )
    }
  }

  private def shops(): Unit =
    spark.sql(
      "SELECT if(id < 2, 'a', 'b') AS shop, element_at(array(DATE'2026-01-05', DATE'2026-02-05', " +
        "DATE'2026-06-05'), int(id + 1)) AS t, id + 1 AS x FROM range(0, 3, 1, 2)"
    ).createOrReplaceTempView("shops")

  test("a filter on a key does not change the last tick") {
    shops()
    val months = (2 to 7).map(m => Row(m, if (m == 2) 1L else if (m == 3) 2L else null))
    eachWay {
      val frame = spark.sql(
        "SELECT month(ticks.end), total FROM (SELECT shop, ticks, sum(x) AS total FROM shops " +
          "GROUP BY shop, ticks(t, 'monthly')) WHERE shop = 'a'"
      )
      assert(rows(frame) === months)
      val below = nodes(frame) { case w: GroupWindowsExec => w }.head.child
      assert(collect(below) { case f: FilterExec => f }.nonEmpty, below)
      assert(rows(
        "SELECT month(ticks.end), sum(x) FROM shops GROUP BY shop, ticks(t, 'monthly') " +
          "HAVING shop = 'a'"
      ) === months)
      // In WHERE it selects the rows.
      assert(rows(
        "SELECT month(ticks.end), sum(x) FROM shops WHERE shop = 'a' " +
          "GROUP BY shop, ticks(t, 'monthly')"
      ) === months.take(2))
    }
  }

  test("the newest row is found in the exchange of the windows") {
    shops()
    eachWay {
      val frame =
        spark.sql("SELECT shop, ticks.end, sum(x) FROM shops GROUP BY shop, ticks(t, 'monthly')")
      assert(frame.collect().length === 7)
      val byShop = nodes(frame) {
        case e: ShuffleExchangeLike if e.outputPartitioning.toString.contains("shop") => e
      }
      assert(byShop.map(_.id).distinct.size === 1, frame.queryExecution.executedPlan)
      assert(
        nodes(frame) { case r: ReusedExchangeExec => r }.size === 1,
        frame.queryExecution.executedPlan
      )
    }
  }

  test("no rows, no keys, one row") {
    eachWay {
      val none = "(SELECT * FROM purchases WHERE amount > 99)"
      assert(rows(s"SELECT count(*) FROM $none GROUP BY ticks(t, 'yearly')") === Nil)
      assert(rows(s"SELECT count(*) FROM $none GROUP BY amount, ticks(t, 'yearly')") === Nil)
      assert(rows(
        "SELECT count(*) FROM purchases GROUP BY amount, ticks(t, 'yearly', span => NULL)"
      ).size === 8 + 8 + 2 + 1)
      assert(rows(
        "SELECT ticks.start, sum(amount) FROM purchases WHERE amount = 4 " +
          "GROUP BY ticks(t, 'yearly', span => NULL)"
      ) === Seq(Row(null, 4L)))
    }
  }

  test("the keys are the keys of the table, also if a window has no rows") {
    eachWay {
      assert(rows(
        "SELECT k, month(ticks.end), count(*) FROM VALUES ('a', DATE'2026-01-05'), " +
          "(NULL, DATE'2026-01-06'), ('b', DATE'2026-02-05') AS d(k, t) GROUP BY k, ticks(t, 'monthly')"
      ).toSet === Set(
        Row("a", 2, 1L),
        Row("a", 3, 0L),
        Row(null, 2, 1L),
        Row(null, 3, 0L),
        Row("b", 3, 1L)
      ))
    }
  }

  test("a table of timestamps that changes its order in every task") {
    eachWay {
      assert(rows(
        "SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM (SELECT " +
          "timestamp_seconds((id * 7919) % 2592000) AS t FROM range(0, 2592000, 1, 4) WHERE id % 60 = 0) " +
          "GROUP BY ticks(t, 'hourly'))"
      ) === Seq(Row(721L, 1L, 60L)))
    }
  }

  test("ticks are not buffered: the first of a thousand years of minutes") {
    eachWay {
      val frame = spark.sql(
        "SELECT ticks.end, count(*) AS n FROM VALUES (DATE'1026-01-01'), (DATE'2026-01-01') AS d(t) " +
          "GROUP BY ticks(t, 'minutely') LIMIT 3"
      )
      assert(rows(frame).map(_.getLong(1)) === Seq(1L, 0L, 0L))
    }
  }

  test("DataFrames") {
    val year = call_function("ticks", col("t"), lit("yearly"))
    val frame = spark.table("purchases").groupBy(year).agg(sum("amount").as("total"))
    assert(rows(frame.where("total IS NOT NULL").select("ticks.end")).size === 3)
    val named = io.muntin.functions.ticks(col("t"), "yearly", span = None)
    val running = spark.table("purchases").groupBy(named).agg(count("*").as("n"))
    assert(running.columns.toSeq === Seq("ticks", "n"))
    assert(rows(running.select("n")).map(_.getLong(0)).sum === 2 * 6 + 3 + 4)
    val again = spark.table("purchases").groupBy(named.as("year")).agg(count("*").as("n"))
    assert(again.columns.toSeq === Seq("year", "n"))
    assert(rows(again).size === 8)
  }

  test("EXPLAIN") {
    val simple = spark.sql(
      "EXPLAIN SELECT sum(x) FROM VALUES (TIMESTAMP'2026-01-01', 1) AS d(t, x) " +
        "GROUP BY ticks(t, '0 9 * * mon-fri', 'Europe/Berlin', 3, 'left', false)"
    ).head().getString(0)
    Seq(
      "MuntinGroupWindows",
      "MuntinPanePartials",
      "'0 9 * * MON-FRI'",
      "timezone => 'Europe/Berlin'",
      "span => 3",
      "closed => 'left'",
      "drain => false"
    ).foreach(part => assert(simple.contains(part), simple))
  }

  private def failed(query: String): String =
    messages(intercept[Exception](spark.sql(query).collect()))

  test("a null time is an error") {
    val table = "(SELECT nullif(t, DATE'2012-05-10') AS t, amount FROM purchases)"
    eachWay {
      Seq("sum(amount)", "collect_list(amount)").foreach { aggregate =>
        assertFails("MUNTIN_NULL_TICK_TIME", "function" -> "ticks", "time" -> "t") {
          spark.sql(s"SELECT $aggregate FROM $table GROUP BY ticks(t, 'yearly')").collect()
        }
        assert(rows(
          s"SELECT $aggregate FROM $table WHERE t IS NOT NULL GROUP BY ticks(t, 'yearly')"
        ).size === 8)
      }
    }
  }

  test("times beyond the last tick are an error") {
    eachWay {
      val message = failed(
        s"SELECT count(*) FROM (SELECT timestamp_micros(${Long.MaxValue}L - id) AS t FROM range(2)) " +
          "GROUP BY ticks(t, 'yearly')"
      )
      assert(message.contains("find the tick of 'yearly' at or after +294247-01-10"), message)
    }
  }

  private def refused(arguments: String)(condition: String, parameters: (String, String)*): Unit =
    assertCondition(
      intercept[AnalysisException](spark.sql(
        "SELECT count(*) FROM (SELECT *, CAST(t AS TIMESTAMP) AS ts, CAST(t AS TIMESTAMP_NTZ) AS ntz " +
          s"FROM purchases) GROUP BY ticks($arguments)"
      )),
      condition,
      parameters: _*
    )

  test("invalid arguments are rejected") {
    Seq("fortnightly", "61 * * * *", "0 0 30 2 *").foreach { text =>
      refused(s"t, '$text'")("MUNTIN_INVALID_SCHEDULE", "schedule" -> text)
    }
    Seq(
      ("t, NULL", "schedule", "NULL"),
      ("t, 7", "schedule", "7"),
      ("ts, 'daily', 'Mars/Olympus'", "timezone", "'Mars/Olympus'"),
      ("ts, 'daily', 'PSTT'", "timezone", "'PSTT'"),
      ("t, 'daily', span => 0", "span", "0"),
      ("t, 'daily', span => 1.5", "span", "1.5BD"),
      ("t, 'daily', span => amount", "span", "amount"),
      ("t, 'daily', drain => 'no'", "drain", "'no'")
    ).foreach { case (arguments, parameter, argument) =>
      refused(arguments)(
        "MUNTIN_INVALID_ARGUMENT_VALUE",
        "parameter" -> parameter,
        "argument" -> argument
      )
    }
    refused("t, upper(CAST(t AS STRING))")(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "parameter" -> "schedule"
    )
    Seq("ntz" -> "TIMESTAMP_NTZ", "t" -> "DATE").foreach { case (time, dataType) =>
      refused(s"$time, 'daily', 'UTC'")(
        "MUNTIN_TIME_ZONE_OF_LOCAL_TIME",
        "parameter" -> "timezone",
        "type" -> dataType
      )
    }
    refused("amount, 'daily'")("MUNTIN_INVALID_ARGUMENT_TYPE", "parameter" -> "time")
  }

  test("timestamps are displayed unchanged") {
    // java.sql.Timestamp, as in collect(): the struct's fields have the type of the time.
    val frame = spark.sql(
      "SELECT ticks FROM VALUES (TIMESTAMP'2026-01-01 10:30:00') AS d(t) GROUP BY ticks(t, 'hourly')"
    )
    assert(rows(frame).map(_.getStruct(0)) ===
      Seq(Row(
        Timestamp.from(Instant.parse("2026-01-01T10:00:00Z")),
        Timestamp.from(Instant.parse("2026-01-01T11:00:00Z"))
      )))
  }
}

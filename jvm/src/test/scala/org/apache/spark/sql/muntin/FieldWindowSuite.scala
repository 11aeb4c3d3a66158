package org.apache.spark.sql.muntin

import java.math.{BigDecimal => JBigDecimal}
import java.sql.Timestamp
import java.time.{Duration, LocalDate, LocalDateTime}

import scala.util.Random

import io.muntin.kernel.fields.FieldSteps
import io.muntin.kernel.motions.FieldMotionSuite
import org.apache.spark.sql.{AnalysisException, Column, Row}
import org.apache.spark.sql.functions.{col, lit, timestamp_seconds}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.types._

/** field_window in queries: the tables of StreamBase's page, every type, random groups. */
class FieldWindowSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      "CREATE TEMP VIEW trades AS SELECT * FROM VALUES (10, 'AMAT', 100), (20, 'AMAT', 200), " +
        "(40, 'AMAT', 100), (41, 'AMAT', 100), (45, 'INTC', 100), (50, 'AMAT', 200), " +
        "(55, 'INTC', 300), (65, 'AMAT', 100) AS trades(t, symbol, volume)"
    )
    // Its means over seven days equal the page's LowAvg.
    spark.sql(
      "CREATE TEMP VIEW days AS SELECT * FROM VALUES (1, 62), (2, 61), (3, 62), (4, 66), (5, 72), " +
        "(6, 66), (7, 62), (8, 64), (9, 66) AS days(day, low)"
    ): Unit
  }

  /** Returns the rows of a query, which must be equal with panes and without. */
  private def rows(query: String): Seq[Row] = {
    def run(panes: Boolean) = withConf(MuntinConf.PanesEnabled.key -> panes.toString) {
      val frame = spark.sql(query)
      val result = frame.collect().toSeq.sortBy(_.toString)
      assert(nodes(frame) { case w: GroupWindowsExec => w }.nonEmpty)
      if (!panes) assert(nodes(frame) { case p: PanePartialsExec => p }.isEmpty)
      result
    }
    val paned = run(panes = true)
    assert(paned === run(panes = false), query)
    paned
  }

  private def isPaned(query: String): Boolean =
    nodes(spark.sql(query)) { case p: PanePartialsExec => p }.nonEmpty

  private def volumes(arguments: String): Seq[(String, Any, Any)] =
    rows(
      s"SELECT symbol, field_window.open, sum(volume) FROM trades " +
        s"GROUP BY symbol, field_window(t, $arguments)"
    ).map(r => (r.getString(0), r.get(1), r.get(2)))

  test("StreamBase: volumes by symbol and 30 seconds") {
    val closed = Seq(("AMAT", 0, 300L), ("AMAT", 30, 400L), ("INTC", 30, 400L))
    assert(volumes("30, 30").sortBy(r => (r._2.toString.toInt, r._1)) ===
      closed :+ (("AMAT", 60, 100L)))
    assert(volumes("size => 30, advance => 30, drain => false").sortBy(r =>
      (r._2.toString.toInt, r._1)
    ) === closed)
    assert(volumes("30, 30, offset => 3").map(_._2).distinct.toSet === Set(3, 33, 63))
    assert(volumes("30, 30, -27") === volumes("30, 30, 3"))
    assert(volumes("30, 30, 93") === volumes("30, 30, 3"))
  }

  test("durations as text, as in Spark's own window") {
    def windows(column: String, arguments: String) = rows(
      s"SELECT $column(at, $arguments), count(*) FROM (SELECT timestamp_seconds(t) AS at, volume " +
        s"FROM trades) GROUP BY $column(at, $arguments)"
    )
    val text = windows("field_window", "'30 seconds', '15 seconds', every => '10 seconds'")
    assert(text === windows("field_window", "30, 15, every => INTERVAL 10 SECONDS"))
    for (minute <- Seq("'1 minute'", "'interval 60 seconds'", "'0.5 seconds 59.5 seconds'"))
      assert(
        windows("field_window", s"$minute, $minute") === spark.sql(
          "SELECT window(at, '1 minute'), count(*) FROM (SELECT timestamp_seconds(t) AS at FROM " +
            "trades) GROUP BY window(at, '1 minute')"
        ).collect().toSeq.sortBy(_.toString),
        minute
      )
    val days = "SELECT count(*) FROM (SELECT date_add(DATE'2026-01-01', day) AS d FROM days) " +
      "GROUP BY field_window(d, %s)"
    assert(rows(days.format("'1 week'")) === rows(days.format("7")))
    for (
      (wrong, condition) <- Seq(
        "1h" -> "MUNTIN_INVALID_ARGUMENT_VALUE",
        "hour" -> "MUNTIN_INVALID_ARGUMENT_VALUE",
        "1 month" -> "MUNTIN_DURATION_WITH_MONTHS",
        "-1 hour" -> "MUNTIN_INVALID_ARGUMENT_VALUE"
      )
    ) assertFails(condition, "parameter" -> "size", "argument" -> s"'$wrong'") {
      windows("field_window", s"'$wrong'")
    }
    val rate = spark.sql(
      "SELECT rate(timestamp_seconds(t), timestamp_seconds(t + 10), '1 minute') FROM trades"
    )
    assert(rate.head().getDouble(0) === 48.0)
  }

  test("StreamBase: averages of 30 seconds, every 20") {
    assert(rows(
      "SELECT symbol, field_window.open, avg(volume), sum(volume) FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 20)"
    ) === Seq(
      Row("AMAT", 0, 150d, 300L),
      Row("AMAT", 20, 400 / 3d, 400L),
      Row("AMAT", 40, 125d, 500L),
      Row("AMAT", 60, 100d, 100L),
      Row("INTC", 40, 200d, 400L)
    ))
  }

  test("StreamBase: weekly averages, each day") {
    def weeks(open: String) = rows(
      "SELECT field_window.open, count(*), round(avg(low), 1) FROM days " +
        s"GROUP BY field_window(day, 7, 1, open => '$open', drain => false)"
    ).map(r => (r.getInt(0), r.getLong(1), r.getDouble(2))).sortBy(_._1)
    val full = Seq((1, 7L, 64.4), (2, 7L, 64.7))
    assert(weeks("single") === full)
    assert(weeks("all") === Seq(
      (-5, 1L, 62.0),
      (-4, 2L, 61.5),
      (-3, 3L, 61.7),
      (-2, 4L, 62.8),
      (-1, 5L, 64.6),
      (0, 6L, 64.8)
    ) ++ full)
    val drained = rows(
      "SELECT field_window.open, count(*), round(avg(low), 1) FROM days " +
        "GROUP BY field_window(day, 7, 1)"
    ).map(r => (r.getInt(0), r.getLong(1), r.getDouble(2))).sortBy(_._1)
    assert(drained.take(3) === full :+ ((3, 7L, 65.4)))
    assert(drained.map(_._2) === Seq(7L, 7L, 7L, 6L, 5L, 4L, 3L, 2L, 1L))
  }

  test("StreamBase: the gap from 0 to 9.2") {
    Seq("double" -> Set[Any](0.0, 9.0), "float" -> Set[Any](0.0, 9.0)).foreach { case (t, opens) =>
      assert(rows(
        s"SELECT field_window.open FROM VALUES ($t(0)), ($t(9.2)) AS d(x) GROUP BY field_window(x, 1, 1)"
      ).map(_.get(0)).toSet === opens)
    }
    assert(rows(
      "SELECT field_window.open, field_window.close FROM VALUES (0.0), (9.2) AS d(x) GROUP BY field_window(x, 1, 1)"
    ) === Seq(
      Row(new JBigDecimal("0.0"), new JBigDecimal("1.0")),
      Row(new JBigDecimal("9.0"), new JBigDecimal("10.0"))
    ))
  }

  test("StreamBase: intermediate emission") {
    // size 8, emission every 4: the row at 9 completes all points up to it, in both groups.
    assert(rows(
      "SELECT k, field_window.open, field_window.close, field_window.emit, sum(x) FROM VALUES ('a', 0, 1), ('a', 3, 2), ('a', 4, 4), ('a', 9, 8), " +
        "('b', 6, 16) AS d(k, t, x) GROUP BY k, field_window(t, 8, 8, every => 4)"
    ) === Seq(
      Row("a", 0, 8, 4, 3L),
      Row("a", 0, 8, 8, 7L),
      Row("a", 8, 16, 16, 8L),
      Row("b", 0, 8, 8, 16L)
    ))
    // Without a size: one window, whose points reach the greatest value of all groups.
    assert(rows(
      "SELECT k, field_window.open, field_window.close, field_window.emit, sum(x) FROM VALUES ('a', 1, 1), ('a', 3, 2), ('b', 8, 4), ('b', 9, 8) AS d(k, t, x) " +
        "GROUP BY k, field_window(t, every => 3)"
    ).toSet === Set(
      Row("a", 1, null, 4, 3L),
      Row("a", 1, null, 7, 3L),
      Row("a", 1, null, null, 3L),
      Row("b", 8, null, null, 12L)
    ))
  }

  test("results of a group are emitted in the order of their points") {
    val frame = spark.sql(
      "SELECT field_window.open AS o, field_window.emit AS e FROM (SELECT explode(sequence(0, 40)) AS t) " +
        "GROUP BY field_window(t, 8, 3, every => 2)"
    )
    val points = frame.collect().toSeq.map(r => (r.getInt(1), r.getInt(0)))
    assert(points.size > 40 && points === points.sorted)
  }

  test("any row of any group advances time, also a row that a filter on the keys removes") {
    val windows = "SELECT symbol, field_window.open AS o, sum(volume) AS v FROM trades " +
      "GROUP BY symbol, field_window(t, 30, 30, drain => false)"
    assert(rows(s"SELECT * FROM ($windows) WHERE symbol = 'INTC'") === Seq(Row("INTC", 30, 400L)))
    assert(rows(windows.replace("FROM trades", "FROM trades WHERE t < 60")) ===
      Seq(Row("AMAT", 0, 300L)))
    assert(rows(windows.replace("FROM trades", "FROM trades WHERE t > 100")) === Nil)
  }

  test("from Scala") {
    import io.muntin.functions.fieldWindow
    val trades = spark.table("trades").withColumn("at", timestamp_seconds(col("t")))
    def opens(window: Column): Set[Any] =
      trades.groupBy(window).count().select("field_window.open").collect().map(_.get(0)).toSet
    assert(opens(fieldWindow(col("t"), 30, 30)) === Set(0, 30, 60))
    assert(opens(fieldWindow(col("t"))) === Set(10))
    assert(opens(fieldWindow(col("t"), 30, 20, offset = 5, every = 10, open = "all")).nonEmpty)
    assert(opens(fieldWindow(col("t"), 30, 30, drain = Some(false))) === Set(0, 30))
    assert(opens(fieldWindow(col("t").cast("decimal(9, 2)"), BigDecimal("32.5"), lit(32.5))) ===
      Set("0.00", "32.50", "65.00").map(new JBigDecimal(_)))
    assert(opens(fieldWindow(
      col("at"),
      Duration.ofSeconds(30),
      Duration.ofSeconds(30),
      every = 7.5
    )) ===
      Set(0L, 30L, 60L).map(s => new Timestamp(s * 1000)))
  }

  test("no opening, no closing") {
    assert(rows(
      "SELECT symbol, field_window.open, field_window.close, sum(volume) FROM trades GROUP BY symbol, field_window(t, 30)"
    ) === Seq(
      Row("AMAT", 10, 40, 300L),
      Row("AMAT", 40, 70, 500L),
      Row("INTC", 45, 75, 400L)
    ))
    assert(rows(
      "SELECT symbol, field_window.open, field_window.close, sum(volume) FROM trades GROUP BY symbol, field_window(t)"
    ) === Seq(Row("AMAT", 10, null, 800L), Row("INTC", 45, null, 400L)))
    assert(rows(
      "SELECT symbol, field_window.open FROM trades GROUP BY symbol, field_window(t, drain => false)"
    ) === Nil)
  }

  test("every type of field, and the type of its windows") {
    def window(values: String, arguments: String): (StructType, Seq[Seq[Any]]) = {
      val query = s"SELECT field_window AS w, count(*) FROM VALUES $values AS d(x) " +
        s"GROUP BY field_window(x, $arguments)"
      val found = rows(query).map(r => r.getStruct(0).toSeq)
      (spark.sql(query).schema("w").dataType.asInstanceOf[StructType], found)
    }
    def check(values: String, arguments: String, dataType: DataType)(expected: (Any, Any)*): Any = {
      val (schema, found) = window(values, arguments)
      assert(schema.map(_.dataType) === Seq(dataType, dataType))
      assert(found.map(r => (r(0), r(1))).toSet === expected.toSet)
    }
    check("(5Y), (12Y)", "10, 10", ByteType)((0.toByte, 10.toByte), (10.toByte, 20.toByte))
    check("(5S), (12S)", "10, 10", ShortType)((0.toShort, 10.toShort), (10.toShort, 20.toShort))
    check("(5L), (-2L)", "10, 10", LongType)((0L, 10L), (-10L, 0L))
    check(
      "(0.5D), (0.29D), (0.3D)",
      "0.3, 0.1",
      DoubleType
    )((0.2, 0.5), (0.3, 0.6), (0.4, 0.7), (0.5, 0.8))
    check("(0.3D), (0.1D), (0.7D)", "0.1D, 0.1D", DoubleType)((0.1, 0.2), (0.3, 0.4), (0.7, 0.8))
    check("(1.25), (1.5)", "0.125, 0.125", DecimalType(5, 3))(
      (new JBigDecimal("1.250"), new JBigDecimal("1.375")),
      (new JBigDecimal("1.500"), new JBigDecimal("1.625"))
    )
    check("(1.5), (-0.1)", "30, 30", DecimalType(4, 1))(
      (new JBigDecimal("0.0"), new JBigDecimal("30.0")),
      (new JBigDecimal("-30.0"), new JBigDecimal("0.0"))
    )
    check(
      "(12345678901234567890123456789.5), (12345678901234567890123456790.5)",
      "0.25, 0.25",
      DecimalType(32, 2)
    )(
      (
        new JBigDecimal("12345678901234567890123456789.50"),
        new JBigDecimal("12345678901234567890123456789.75")
      ),
      (
        new JBigDecimal("12345678901234567890123456790.50"),
        new JBigDecimal("12345678901234567890123456790.75")
      )
    )
    val time = (s: String) => Timestamp.valueOf(s)
    check(
      "(TIMESTAMP'2026-01-01 00:00:29.9'), (TIMESTAMP'2026-01-01 00:00:30')",
      "30, 30",
      TimestampType
    )(
      (time("2026-01-01 00:00:00"), time("2026-01-01 00:00:30")),
      (time("2026-01-01 00:00:30"), time("2026-01-01 00:01:00"))
    )
    val local = (s: String) => LocalDateTime.parse(s)
    check(
      "(TIMESTAMP_NTZ'2026-01-01 00:00:00.25'), (TIMESTAMP_NTZ'1969-12-31 23:59:59.95')",
      "0.1, INTERVAL 0.1 SECOND",
      TimestampNTZType
    )(
      (local("2026-01-01T00:00:00.2"), local("2026-01-01T00:00:00.3")),
      (local("1969-12-31T23:59:59.9"), local("1970-01-01T00:00:00"))
    )
    check("(DATE'2026-01-09'), (DATE'2026-01-16')", "7, INTERVAL 7 DAYS, offset => 4", DateType)(
      (java.sql.Date.valueOf("2026-01-05"), java.sql.Date.valueOf("2026-01-12")),
      (java.sql.Date.valueOf("2026-01-12"), java.sql.Date.valueOf("2026-01-19"))
    )
    assert(LocalDate.parse("1970-01-05").getDayOfWeek.getValue === 1)
    check(
      "(TIMESTAMP'2026-01-01 12:00:00')",
      "make_interval(0, 0, 0, 1), make_interval(0, 0, 0, 0, 12)",
      TimestampType
    )((time("2026-01-01 12:00:00"), time("2026-01-02 12:00:00")))
  }

  private val kinds = Seq[(DataType, String, JBigDecimal => JBigDecimal)](
    (IntegerType, "1", identity),
    (LongType, "1", identity),
    (DecimalType(9, 1), "0.1", identity),
    (DecimalType(30, 1), "0.1", identity),
    (DoubleType, "0.1", v => new JBigDecimal(v.doubleValue)),
    (TimestampType, "0.000001", identity),
    (DateType, "1", identity)
  )

  for ((dataType, unitText, rounded) <- kinds)
    sampledTest(
      s"random groups of ${dataType.sql}, with and without panes, equal the specification"
    ) {
      val random = new Random(dataType.sql.hashCode)
      val unit = new JBigDecimal(unitText)
      (1 to 6).foreach { _ =>
        val steps = FieldMotionSuite.randomSteps(random).map(_.multiply(unit))
        val drain = random.nextBoolean()
        val groups = (1 to 4).map { key =>
          key -> FieldMotionSuite.randomValues(random).map(v => rounded(v.multiply(unit)))
        }
        checkRandom(dataType, steps, drain, groups, rounded)
      }
    }

  private def checkRandom(
      dataType: DataType,
      steps: FieldSteps[JBigDecimal],
      drain: Boolean,
      groups: Seq[(Int, Seq[JBigDecimal])],
      rounded: JBigDecimal => JBigDecimal
  ): Any = {
    val all = for { (k, of) <- groups; (v, i) <- of.zipWithIndex } yield (k, v, i)
    if (all.nonEmpty) {
      def inType(value: JBigDecimal) = dataType match {
        case DoubleType => s"${value.doubleValue}D"
        case TimestampType => s"timestamp_micros(${value.movePointRight(6).longValueExact})"
        case DateType => s"date_from_unix_date($value)"
        case other => s"CAST($value AS ${other.sql})"
      }
      val values = new Random(1).shuffle(all).map { case (k, v, i) =>
        s"($k, ${inType(v)}, ${1L << i})"
      }
      def literal(value: JBigDecimal) = value.toPlainString
      val arguments = Seq(
        steps.size.map(v => s"size => ${literal(v)}"),
        steps.advance.map(v => s"advance => ${literal(v)}"),
        Option.when(steps.offset.signum != 0)(s"offset => ${literal(steps.offset)}"),
        steps.every.map(v => s"every => ${literal(v)}"),
        Some(s"open => '${if (steps.all) "all" else "single"}'"),
        Some(s"drain => $drain")
      ).flatten.mkString(", ")
      def number(field: String) = dataType match {
        case TimestampType => s"CAST(unix_micros($field) AS DECIMAL(38, 0)) / 1000000"
        case DateType => s"CAST(unix_date($field) AS DECIMAL(38, 0))"
        case DoubleType => field
        case _ => s"CAST($field AS DECIMAL(38, 6))"
      }
      val emit = if (steps.every.isDefined) number("field_window.emit") else "NULL"
      val query = s"SELECT k, ${number("field_window.open")}, ${number("field_window.close")}, $emit, sum(x), count(*) " +
        s"FROM VALUES ${values.mkString(", ")} AS d(k, t, x) GROUP BY k, field_window(t, $arguments)"
      val found = rows(query).map { r =>
        (r.getInt(0), shown(r.get(1)), shown(r.get(2)), shown(r.get(3)), r.getLong(4), r.getLong(5))
      }
      val known = all.map(_._2).max
      val expected = for {
        (key, of) <- groups
        sorted = of.zipWithIndex.sortBy { case (v, i) => (v, i) }
        a <- FieldMotionSuite.reference(sorted.map(_._1), steps, drain, Some(known), rounded)
        sum = a.rows.map(i => 1L << sorted(i)._2).sum
      } yield (key, shown(a.open), shown(a.close), shown(a.emit), sum, a.rows.size.toLong)
      assert(found.sortBy(_.toString) === expected.sortBy(_.toString), query)
    }
  }

  private def shown(value: Any): String = value match {
    case null | None => "none"
    case Some(inner) => shown(inner)
    case d: Double => shown(new JBigDecimal(d))
    case b: JBigDecimal =>
      (if (b.signum == 0) JBigDecimal.ZERO else b.stripTrailingZeros).toPlainString
    case other => fail(s"$other")
  }

  private val families = Seq(
    "sum(x)",
    "avg(CAST(x AS DECIMAL(12, 2)))",
    "sum(y)",
    "avg(x)",
    "round(var_samp(y), 9)",
    "round(corr(x, y), 9)",
    "min(s)",
    "max(y)",
    "max_by(s, struct(x, s))",
    "count(DISTINCT s)",
    "sum(DISTINCT x)",
    "array_sort(collect_set(s))",
    "array_sort(collect_list(x))",
    "median(x)",
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY y)",
    "bit_xor(x)",
    "approx_count_distinct(s)",
    "count_if(x > 3)",
    "sum(x) FILTER (WHERE y > 1)",
    "aggregate(histogram_numeric(x, 40), 0D, (n, b) -> n + b.y)",
    "hll_sketch_estimate(hll_sketch_agg(s))",
    "bool_or(x > 8)"
  ).filter(RunningSpark.hasFunctionsOf)

  sampledTest(
    "every family of aggregates, under every motion, equals a join with the windows"
  ) {
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW points AS SELECT id % 3 AS k, CAST(id * 7 % 101 + id DIV 150 * 60 AS INT) " +
        "AS t, CAST(id * 31 % 11 AS INT) AS x, (id * 13 % 17) / 4D AS y, concat('s', id * 5 % 9) AS s " +
        "FROM range(400)"
    )
    Seq(
      "10, 10",
      "12, 5, open => 'all'",
      "20",
      "NULL",
      "12, 6, every => 4",
      "12, 3, every => 6",
      "15, every => 4"
    )
      .foreach { arguments =>
        val windows =
          s"SELECT k, field_window, ${families.mkString(", ")} FROM points GROUP BY k, field_window(t, $arguments)"
        val emit = if (arguments.contains("every")) "w.emit" else "w.close"
        val joined =
          s"SELECT k, w, ${families.mkString(", ")} FROM (SELECT k AS kw, field_window AS w FROM points " +
            s"GROUP BY k, field_window(t, $arguments)) JOIN points ON kw = k AND t >= w.open AND " +
            s"($emit IS NULL OR t < $emit) GROUP BY k, w"
        val found = spark.sql(windows).collect().map(_.toString).toSeq.sorted
        val expected = spark.sql(joined).collect().map(_.toString).toSeq.sorted
        assert(found.size > 2)
        found.zip(expected).foreach { case (a, b) => assert(a === b, arguments) }
        assert(found.size === expected.size)
      }
  }

  test("positions and lists use the order of the field") {
    assert(rows(
      "SELECT field_window.open, first(x), last(x), nth(x, 2), collect_list(x) FROM VALUES (7, 'd'), (1, 'a'), (4, 'c'), " +
        "(2, 'b'), (11, 'e') AS d(t, x) GROUP BY field_window(t, 5, 5)"
    ) === Seq(
      Row(0, "a", "c", "b", Seq("a", "b", "c")),
      Row(10, "e", "e", null, Seq("e")),
      Row(5, "d", "d", null, Seq("d"))
    ))
  }

  test("panes, for windows that consist of panes") {
    def query(arguments: String, field: String = "t") =
      s"SELECT sum(volume) FROM trades GROUP BY symbol, field_window($field, $arguments)"
    assert(isPaned(query("30, 20")))
    assert(isPaned(query("30, 20, every => 7")))
    assert(isPaned(query("30, 20", "CAST(t AS DECIMAL(30, 2))")))
    assert(isPaned(query("30, 20", "timestamp_seconds(t)")))
    assert(!isPaned(query("30")))
    assert(!isPaned(query("30, 20", "double(t)")))
    assert(!isPaned(query("1000, 1000, every => 3")))
  }

  test("EXPLAIN shows the arguments") {
    def shown(field: String, arguments: String) = spark.sql(
      s"EXPLAIN SELECT count(*) FROM trades GROUP BY symbol, field_window($field, $arguments)"
    ).head().getString(0)
    val text = shown(
      "timestamp_seconds(t)",
      "30, 0.5, every => INTERVAL 2 SECONDS, offset => -1, open => 'all', drain => false"
    )
    Seq(
      "size => 30",
      "advance => 0.5",
      "offset => -1",
      "every => 2",
      "open => 'all'",
      "drain => false"
    )
      .foreach(part => assert(text.contains(part), text))
  }

  private def refused(field: String, arguments: String)(
      condition: String,
      parameters: (String, String)*
  ): Unit = assertCondition(
    intercept[AnalysisException](spark.sql(
      s"SELECT count(*) FROM VALUES (1, 0.5D, 1.5, now(), current_date(), 's') AS d(i, d, c, t, day, s) " +
        s"GROUP BY field_window($field, $arguments)"
    )),
    condition,
    parameters: _*
  )

  private def refusedValue(field: String, arguments: String)(
      parameter: String,
      argument: String
  ): Unit = refused(field, arguments)(
    "MUNTIN_INVALID_ARGUMENT_VALUE",
    "parameter" -> parameter,
    "argument" -> argument
  )

  test("invalid arguments are rejected") {
    val wrongType = "MUNTIN_INVALID_ARGUMENT_TYPE"
    refused("s", "1")(wrongType, "parameter" -> "field", "type" -> "STRING")
    refused("array(i)", "1")(wrongType, "parameter" -> "field", "type" -> "ARRAY<INT>")
    refused("i + rand()", "1")("MUNTIN_NONDETERMINISTIC")
    assert(intercept[AnalysisException](
      spark.sql("SELECT 1 FROM range(2) GROUP BY field_window(max(id), 1)")
    ).getMessage.contains("max("))
    refused("row_number() OVER (ORDER BY i)", "1")(
      "MUNTIN_WINDOW_FUNCTION_IN_ARGUMENT",
      "parameter" -> "field"
    )
    refusedValue("i", "0")("size", "0")
    refusedValue("i", "-3")("size", "-3")
    refusedValue("i", "3, 0")("advance", "0")
    refusedValue("i", "3, 1, every => 0")("every", "0")
    refused("i", "NULL, 3")("MUNTIN_ADVANCE_REQUIRES_SIZE", "advance" -> "3")
    refused("i", "3, 4")(
      "MUNTIN_WINDOWS_WITH_GAPS",
      "parameter" -> "advance",
      "argument" -> "4",
      "size" -> "3"
    )
    refused("i", "3, 1, every => 4")("MUNTIN_EVERY_EXCEEDS_SIZE", "every" -> "4", "size" -> "3")
    refused("i", "3, offset => 1")("MUNTIN_OFFSET_REQUIRES_ADVANCE", "offset" -> "1")
    refused("i", "0.5")(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "parameter" -> "size",
      "expected" -> "a whole number such as 30, because d.i is a INT"
    )
    refusedValue("i", "INTERVAL 3 SECONDS")("size", "INTERVAL '03' SECOND")
    refusedValue("i", "i + 1")("size", "(d.i + 1)")
    refusedValue("i", "'3'")("size", "'3'")
    refusedValue("i", "3, open => 'both'")("open", "'both'")
    refusedValue("i", "3, drain => 1")("drain", "1")
    refusedValue("d", "INTERVAL 3 SECONDS")("size", "INTERVAL '03' SECOND")
    refused("d", "double('nan')")("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> "size")
    refused("t", "INTERVAL 1 MONTH")("MUNTIN_DURATION_WITH_MONTHS", "parameter" -> "size")
    refused("t", "make_interval(0, 1, 0, 1)")("MUNTIN_DURATION_WITH_MONTHS")
    refusedValue("t", "0.0000001")("size", "1E-7BD")
    refused("day", "INTERVAL 36 HOURS")("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> "size")
    refusedValue("day", "1.5")("size", "1.5BD")
    refused("CAST(c AS DECIMAL(38, 2))", "0.0001")(
      "MUNTIN_TOO_MANY_DIGITS",
      "parameter" -> "field",
      "type" -> "DECIMAL(38,2)"
    )
    refused("d", "1e10D, 1e-10D")("MUNTIN_WINDOW_EXCEEDS_BIGINT", "field" -> "d.d")
    refused("i", "100000, 1, every => 1")(
      "MUNTIN_TOO_MANY_RUNNING_RESULTS",
      "windows" -> "100000",
      "results" -> "100000"
    )
  }

  private def failed(field: String, arguments: String, values: String)(
      condition: String,
      parameters: (String, String)*
  ): Any =
    Seq(true, false).foreach { panes =>
      withConf(MuntinConf.PanesEnabled.key -> panes.toString) {
        assertFails(condition, parameters: _*)(spark.sql(
          s"SELECT k, count(*) FROM VALUES $values AS d(k, x) GROUP BY k, field_window($field, $arguments)"
        ).collect())
      }
    }

  test("rows without a window are errors that show them") {
    val isNull = "MUNTIN_NULL_WINDOW_FIELD"
    failed("x", "30, 30", "('a', 1), ('b', NULL)")(isNull, "row" -> "k = b, x = NULL")
    failed("x", "30", "('a', 1), ('b', NULL)")(isNull, "row" -> "k = b, x = NULL")
    val notFinite = "MUNTIN_WINDOW_FIELD_NOT_FINITE"
    failed("x", "30, 30", "('a', 1D), ('b', double('nan'))")(
      notFinite,
      "value" -> "NaN",
      "row" -> "k = b, x = NaN"
    )
    failed("x", "30, 30", "('a', 1D), ('b', double('-infinity'))")(
      notFinite,
      "value" -> "-Infinity"
    )
    failed("x", "30, 30", "('a', 1D), ('b', 1e300D)")(
      "MUNTIN_WINDOW_FIELD_TOO_LARGE",
      "value" -> "1.0E300",
      "row" -> "k = b, x = 1.0E300"
    )
    val tooFar = "MUNTIN_WINDOW_FIELD_OUT_OF_RANGE"
    failed("x", "30, 30", "('a', 1L), ('b', 9223372036854775800L)")(
      tooFar,
      "field" -> "d.x",
      "value" -> "9223372036854775800"
    )
    failed("x", "30, 30", "('a', 1L), ('b', -9223372036854775800L)")(
      tooFar,
      "value" -> "-9223372036854775800"
    )
    failed("x", "30, 30", "('a', 1Y), ('b', 125Y)")(
      "MUNTIN_WINDOW_OUT_OF_RANGE",
      "start" -> "120",
      "end" -> "150",
      "type" -> "TINYINT",
      "row" -> "k = b"
    )
    failed("x", "30, 30", "('a', timestamp_micros(9223372036854775807L))")(tooFar)
    val greatest = "9" * 38
    failed("x", "30, 30", s"('a', CAST($greatest AS DECIMAL(38, 0)))")(
      tooFar,
      "value" -> s"$greatest (unscaled)"
    )
    failed("x", "every => 5", "('a', 1L), ('b', 9223372036854775805L)")(
      tooFar,
      "value" -> "9223372036854775805"
    )
  }
}

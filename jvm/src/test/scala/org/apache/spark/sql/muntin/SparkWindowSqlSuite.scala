package org.apache.spark.sql.muntin

/**
 * The cases of Spark's own window suites (window.sql, PostgreSQL's window_part1 to 4,
 * DataFrameWindowFramesSuite, DataFrameWindowFunctionsSuite), as queries of this suite: they must
 * have stock Spark's results and errors.
 */
class SparkWindowSqlSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    def view(name: String, columns: String, rows: String*): Unit =
      spark
        .sql(s"SELECT * FROM VALUES ${rows.mkString("(", "), (", ")")} AS v($columns)")
        .createOrReplaceTempView(name)

    view(
      "mixed",
      "n, l, d, day, ts, c",
      "null, 1L, 1.0D, DATE'2017-08-01', TIMESTAMP'2017-08-01 00:00:00', 'a'",
      "1, 1L, 1.0D, DATE'2017-08-01', TIMESTAMP'2017-08-01 00:00:00', 'a'",
      "1, 2L, 2.5D, DATE'2017-08-02', TIMESTAMP'2017-08-06 06:26:40', 'a'",
      "2, 2147483650L, 100.001D, DATE'2020-12-31', TIMESTAMP'2020-12-31 00:00:00', 'a'",
      "1, null, 1.0D, DATE'2017-08-01', TIMESTAMP'2017-08-01 00:00:00', 'b'",
      "2, 3L, 3.3D, DATE'2017-08-03', TIMESTAMP'2017-08-17 20:00:00', 'b'",
      "3, 2147483650L, 100.001D, DATE'2020-12-31', TIMESTAMP'2020-12-31 00:00:00', 'b'",
      "null, null, null, null, null, null",
      "3, 1L, 1.0D, DATE'2017-08-01', TIMESTAMP'2017-08-01 00:00:00', null"
    )
    view(
      "pay",
      "name, dept, salary, enrolled",
      "'Ada', 'it', 8435, DATE'2006-10-01'",
      "'Bo', 'it', 9998, DATE'2007-08-01'",
      "'Cy', 'it', 8992, DATE'2007-12-10'",
      "'Di', 'hr', 8870, DATE'2007-08-08'",
      "'Ed', 'hr', 11472, DATE'2006-12-23'",
      "'Flo', 'ops', 6627, DATE'2008-01-01'",
      "'Gil', 'ops', 6627, DATE'2008-01-01'",
      "'Hal', 'ops', 10449, DATE'2007-08-15'"
    )
    view(
      "gaps",
      "id, v",
      "0, null",
      "1, 'x'",
      "2, null",
      "3, null",
      "4, 'y'",
      "5, null",
      "6, 'z'",
      "7, 'v'",
      "8, null"
    )
    spark
      .range(0, 400, 1, 1)
      .selectExpr(
        "int(id * 37 % 400) AS u1",
        "int(id) AS u2",
        "int(id % 2) AS two",
        "int(id % 4) AS four",
        "int(id % 10) AS ten",
        "int(id % 100) AS hundred"
      )
      .createOrReplaceTempView("tenk")
    view("pairs", "f1, f2", "1, 1", "1, 2", "2, 2")
    view(
      "numbers",
      "id, f, d, i",
      "1, -3F, -3D, -3",
      "2, -1F, -1D, -1",
      "3, 0F, 0D, 0",
      "4, 1.1F, 1.1D, 1",
      "5, 1.12F, 1.12D, 1",
      "6, 2F, 2D, 2",
      "7, 100F, 100D, 100",
      "8, float('inf'), double('inf'), null",
      "9, float('nan'), double('nan'), null"
    )
  }

  private def same(name: String)(queries: String*): Unit =
    test(name)(queries.foreach(checkSame(_)))

  /** Spark rejects it, and so does Muntin. */
  private def rejected(name: String)(queries: String*): Unit =
    test(name) {
      queries.foreach(q => assert(checkSame(q).isInstanceOf[Outcome.Failed], q))
    }

  private def over(table: String, frame: String)(functions: String*): String =
    functions
      .map(f => s"$f OVER w")
      .mkString(s"SELECT *, ", ", ", s" FROM $table WINDOW w AS ($frame)")

  same("ROWS")(
    over("mixed", "PARTITION BY c ORDER BY n ROWS CURRENT ROW")("count(n)", "sum(l)"),
    over(
      "mixed",
      "PARTITION BY c ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING"
    )("sum(n)"),
    over("tenk", "ORDER BY u2 ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING")("sum(u1)", "first(u1)"),
    over("tenk", "ORDER BY u2 ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING")("sum(u1)", "min(u1)"),
    over("tenk", "ORDER BY u2 ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING")("sum(u1)", "max(u1)"),
    over(
      "tenk",
      "ORDER BY u2 ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    )("sum(u1)", "last(u1)"),
    over("tenk", "PARTITION BY four ORDER BY u2 ROWS BETWEEN 0 PRECEDING AND 2147483647 FOLLOWING")(
      "count(u1)"
    ),
    over("tenk", "ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING")("sum(u1)")
  )

  same("RANGE with numbers")(
    over("mixed", "PARTITION BY c ORDER BY n RANGE 1 PRECEDING")("count(n)"),
    over("mixed", "PARTITION BY c ORDER BY n RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING")("sum(n)"),
    over(
      "mixed",
      "PARTITION BY c ORDER BY n DESC RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING"
    )("sum(n)"),
    over("mixed", "PARTITION BY c ORDER BY l RANGE BETWEEN CURRENT ROW AND 2147483648L FOLLOWING")(
      "sum(l)"
    ),
    over("mixed", "PARTITION BY c ORDER BY l RANGE BETWEEN 2147483649L PRECEDING AND CURRENT ROW")(
      "count(l)"
    ),
    over(
      "mixed",
      "PARTITION BY c ORDER BY d RANGE BETWEEN CURRENT ROW AND 2.5D FOLLOWING"
    )("sum(d)"),
    over("tenk", "ORDER BY four RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING")("sum(u1)"),
    over("tenk", "ORDER BY four DESC RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING")("sum(u1)"),
    over(
      "tenk",
      "PARTITION BY four ORDER BY u1 RANGE BETWEEN 5 PRECEDING AND 6 FOLLOWING"
    )("sum(u1)"),
    over(
      "numbers",
      "ORDER BY f RANGE BETWEEN 1F PRECEDING AND 1.1F FOLLOWING"
    )("first(id)", "last(id)"),
    over(
      "numbers",
      "ORDER BY d RANGE BETWEEN 1D PRECEDING AND 1.1D FOLLOWING"
    )("first(id)", "last(id)"),
    over(
      "numbers",
      "ORDER BY i RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING"
    )("first(id)", "last(id)")
  )

  same("RANGE with dates, timestamps and intervals")(
    over(
      "mixed",
      "PARTITION BY c ORDER BY day RANGE BETWEEN CURRENT ROW AND 2 FOLLOWING"
    )("max(day)"),
    over(
      "mixed",
      "PARTITION BY c ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 23 DAYS 4 HOURS FOLLOWING"
    )(
      "avg(n)",
      "count(ts)"
    ),
    over(
      "pay",
      "ORDER BY enrolled RANGE BETWEEN INTERVAL 1 YEAR PRECEDING AND INTERVAL 1 YEAR FOLLOWING"
    )(
      "sum(salary)"
    ),
    over(
      "pay",
      "ORDER BY enrolled DESC RANGE BETWEEN INTERVAL 1 YEAR PRECEDING AND INTERVAL 1 YEAR FOLLOWING"
    )(
      "sum(salary)",
      "min(name)"
    ),
    over(
      "pay",
      "ORDER BY enrolled RANGE BETWEEN INTERVAL 1 YEAR FOLLOWING AND INTERVAL 1 YEAR FOLLOWING"
    )(
      "sum(salary)"
    ),
    over(
      "pay",
      "ORDER BY timestamp(enrolled) RANGE BETWEEN INTERVAL 3 MONTHS PRECEDING AND CURRENT ROW"
    )(
      "first(salary)",
      "last(salary)"
    )
  )

  for (nulls <- Seq("ASC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST"))
    same(s"RANGE among nulls, $nulls")(
      over(
        "(SELECT id, id AS y FROM range(1, 6) UNION ALL SELECT null, 42 UNION ALL SELECT null, 43)",
        s"ORDER BY id $nulls RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING"
      )("first(y)", "last(y)", "count(*)")
    )

  private def ends(from: Long, until: Long, kind: String, order: String, reach: String): String =
    over(
      s"(SELECT $kind(id) AS x FROM range($from, $until))",
      s"ORDER BY x $order RANGE BETWEEN CURRENT ROW AND $reach FOLLOWING"
    )("last(x)")

  for (ansi <- Seq(true, false)) {
    test(s"RANGE at the limits of the integers, ANSI $ansi") {
      withConf("spark.sql.ansi.enabled" -> ansi.toString) {
        checkSame(ends(124, 128, "tinyint", "", "5Y"))
        checkSame(ends(32764, 32768, "smallint", "", "4S"))
        checkSame(ends(-32768, -32764, "smallint", "DESC", "5S"))
        checkSame(ends(2147483644L, 2147483648L, "int", "", "4"))
        checkSame(ends(-2147483646L, -2147483645L, "int", "DESC", "5"))
        checkSame(ends(9223372036854775804L, 9223372036854775807L, "bigint", "", "4L"))
        checkSame(ends(-9223372036854775806L, -9223372036854775805L, "bigint", "DESC", "5L"))
      }
    }

    test(s"sums that overflow, ANSI $ansi") {
      withConf("spark.sql.ansi.enabled" -> ansi.toString) {
        val huge = "(SELECT id, 9223372036854775807L - id AS v FROM range(5))"
        Seq("sum(v)", "try_sum(v)", "avg(v)").foreach { f =>
          checkSame(over(huge, "ORDER BY id ROWS 1 PRECEDING")(f))
          checkSame(over(huge, "ORDER BY id")(f))
        }
        val vast = "(SELECT id, decimal(repeat('9', 38)) - id AS v FROM range(5))"
        Seq("sum(v)", "try_sum(v)").foreach(f => checkSame(over(vast, "ORDER BY id")(f)))
        Seq("sum(v)", "avg(v)").foreach { f =>
          val months = "(SELECT id, make_ym_interval(178956970, 7) AS v FROM range(3))"
          checkSame(over(months, "ORDER BY id ROWS CURRENT ROW")(f))
        }
        checkSame(
          over(
            "(SELECT id, make_ym_interval(178956970, 7) AS v FROM range(3))",
            "ORDER BY id"
          )("sum(v)")
        )
      }
    }
  }

  rejected("invalid frames")(
    "SELECT count(n) OVER (PARTITION BY c ROWS BETWEEN UNBOUNDED FOLLOWING AND 1 FOLLOWING) " +
      "FROM mixed",
    "SELECT count(n) OVER (PARTITION BY c RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM mixed",
    "SELECT count(n) OVER (ORDER BY n, c RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM mixed",
    "SELECT count(n) OVER (ORDER BY ts RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM mixed",
    "SELECT count(n) OVER (ORDER BY n RANGE BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM mixed",
    "SELECT count(n) OVER (ORDER BY n RANGE BETWEEN CURRENT ROW AND current_date PRECEDING) " +
      "FROM mixed",
    "SELECT min(name) OVER (ORDER BY name RANGE BETWEEN UNBOUNDED PRECEDING AND 1 " +
      "FOLLOWING) FROM pay",
    "SELECT dense_rank() OVER (ORDER BY salary ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM pay",
    "SELECT nth_value(name, 0) OVER (ORDER BY salary) FROM pay",
    "SELECT ntile(0) OVER (ORDER BY salary) FROM pay"
  )

  private val everything = Seq(
    "max(n)",
    "min(n)",
    "min(n)",
    "count(n)",
    "sum(n)",
    "avg(n)",
    "stddev(n)",
    "first_value(n)",
    "first_value(n, true)",
    "last_value(n)",
    "last_value(n, true)",
    "rank()",
    "dense_rank()",
    "cume_dist()",
    "percent_rank()",
    "ntile(2)",
    "row_number()",
    "var_pop(n)",
    "var_samp(n)",
    "covar_pop(n, l)",
    "corr(n, l)",
    "stddev_samp(n)",
    "stddev_pop(n)",
    "skewness(d)",
    "kurtosis(d)"
  )

  private val modes = Seq("true" -> "FALLBACK", "false" -> "CODEGEN_ONLY", "false" -> "NO_CODEGEN")

  for ((whole, factory) <- modes)
    test(s"every function in one SELECT, whole-stage code generation $whole, $factory") {
      withConf(
        "spark.sql.codegen.wholeStage" -> whole,
        "spark.sql.codegen.factoryMode" -> factory
      ) {
        checkSame(over("mixed", "PARTITION BY c ORDER BY n")(everything: _*))
        checkSame(
          over("mixed", "PARTITION BY c ORDER BY n")(everything.take(8) :+ "sparks_own(n)": _*),
          TakenOver.Partly
        )
      }
    }

  same("null inputs, no order, no partition, constants")(
    "SELECT n, avg(null) OVER (PARTITION BY c ORDER BY n) FROM mixed",
    "SELECT n, row_number() OVER (PARTITION BY c) FROM mixed",
    "SELECT n, sum(n) OVER (), avg(n) OVER () FROM mixed",
    over(
      "mixed",
      ""
    )("first_value(false)", "first_value(true, true)", "last_value(false)", "count(*)"),
    "SELECT c, sum(n) OVER (w) FROM mixed WHERE n IS NOT NULL WINDOW w AS (PARTITION BY c " +
      "ORDER BY n)",
    "SELECT count(*) OVER (PARTITION BY four) FROM (SELECT * FROM tenk WHERE u1 < 0)",
    "SELECT lead(u1, 1) OVER (ORDER BY u2), lag(u1) OVER (ORDER BY u2) FROM tenk WHERE u1 < 0"
  )

  same("FILTER")(
    "SELECT n, c, count(n) FILTER (WHERE n > 1) OVER (PARTITION BY c) FROM mixed",
    over("tenk", "PARTITION BY four ORDER BY u2 ROWS 7 PRECEDING")(
      "sum(u1) FILTER (WHERE ten > 4)",
      "count(*) FILTER (WHERE ten > 4)",
      "first(u1) FILTER (WHERE ten > 4)",
      "last(u1) FILTER (WHERE ten > 4)",
      "max_by(u1, hundred) FILTER (WHERE ten > 4)",
      "var_samp(u1) FILTER (WHERE ten > 4)"
    )
  )

  private val frames = Seq(
    "",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING",
    "ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING"
  )

  for (frame <- frames)
    same(s"first, last and nth, with and without nulls: $frame")(
      over("gaps", s"ORDER BY id $frame")(
        "first_value(v)",
        "last_value(v)",
        "nth_value(v, 2)",
        "first_value(v) IGNORE NULLS",
        "last_value(v) IGNORE NULLS",
        "nth_value(v, 1) IGNORE NULLS",
        "nth_value(v, 2) IGNORE NULLS",
        "nth_value(v, 3) IGNORE NULLS"
      ),
      over("pay", s"ORDER BY salary DESC ${frame.replace(" 2 ", " 2000 ")}")(
        "first_value(name)",
        "nth_value(name, 2)"
      )
    )

  same("lead and lag: offsets, defaults, nulls")(
    over("gaps", "ORDER BY id")(
      (for (f <- Seq("lead", "lag"); n <- 0 to 3) yield s"$f(v, $n) IGNORE NULLS") ++
        Seq("lead(v, -1) IGNORE NULLS", "lag(v, 2, 'none') IGNORE NULLS"): _*
    ),
    over("pay", "PARTITION BY dept ORDER BY salary, name")(
      "lead(name)",
      "lag(name)",
      "lead(name, 3)",
      "lag(name, -1)",
      "lead(name, 2, 'n/a')",
      "lag(name, 2, dept)",
      "lead(salary * 2, 1, -1)",
      "lag(salary, 1, salary)"
    ),
    over("pay", "PARTITION BY dept ORDER BY salary DESC, name")("lead(name, 1)", "lag(name, 1)")
  )

  same("aggregates below, windows above and next to each other")(
    "SELECT four, ten, sum(sum(four)) OVER (PARTITION BY four), avg(ten) FROM tenk GROUP BY " +
      "four, ten",
    "SELECT ten, two, sum(hundred), sum(sum(hundred)) OVER (PARTITION BY two ORDER BY ten) " +
      "FROM tenk GROUP BY ten, two",
    "SELECT ten, sum(u1) + sum(u2), rank() OVER (ORDER BY sum(u1) + sum(u2)) FROM tenk " +
      "GROUP BY ten",
    "SELECT sum(count(u1)) OVER () FROM tenk WHERE u1 = -1",
    """SELECT * FROM (SELECT
      count(*) OVER (PARTITION BY four ORDER BY ten)
        + sum(hundred) OVER (PARTITION BY two ORDER BY ten) AS total,
      count(*) OVER (PARTITION BY four ORDER BY ten) AS a,
      sum(hundred) OVER (PARTITION BY two ORDER BY ten) AS b FROM tenk)
      WHERE total <> a + b OR a > 99""",
    "SELECT name, min(bonus) OVER (ORDER BY name), max(adj) OVER () FROM (SELECT *, salary " +
      "* 2 AS bonus, " +
      "CASE WHEN avg(salary) OVER (PARTITION BY dept) < salary THEN 200 END AS adj FROM pay)",
    "SELECT name, sum(s) OVER (ORDER BY name) FROM (SELECT name, avg(salary) OVER " +
      "(PARTITION BY dept) AS s FROM pay)",
    "SELECT sum(salary) OVER (ORDER BY salary), count(*) OVER (ORDER BY salary) FROM pay",
    "SELECT f1, sum(f1) OVER (PARTITION BY f1, f2 ORDER BY f2 RANGE BETWEEN 1 FOLLOWING AND " +
      "2 FOLLOWING) FROM pairs",
    "SELECT f1, sum(f1) OVER (PARTITION BY f1, f1 ORDER BY f2 RANGE BETWEEN 2 PRECEDING AND " +
      "1 PRECEDING) FROM pairs"
  )

  test("for a rank that a filter bounds, Spark's limit remains below the window") {
    val ranked = "SELECT *, rank() OVER (PARTITION BY dept ORDER BY salary) AS r FROM pay"
    checkSame(s"SELECT * FROM ($ranked) WHERE r <= 2")
    checkSame(s"SELECT * FROM (${ranked.replace("rank()", "row_number()")}) WHERE r = 1")
  }

  same("windows in a scalar subquery and in IN")(
    "SELECT name FROM pay WHERE salary = (SELECT max(m) FROM (SELECT min(salary) OVER " +
      "(PARTITION BY dept) AS m FROM pay))",
    "SELECT name FROM pay WHERE salary IN (SELECT max(salary) OVER (PARTITION BY dept) FROM pay)"
  )
}

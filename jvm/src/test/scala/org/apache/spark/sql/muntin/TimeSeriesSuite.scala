package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}

/**
 * Counters, averages over time, the greatest values and histograms, against equivalent queries of
 * stock Spark over the rows of each frame.
 */
final class TimeSeriesSuite extends MuntinSession {
  private val frames = Seq(
    "ROWS BETWEEN 30 PRECEDING AND 2 FOLLOWING",
    "ROWS UNBOUNDED PRECEDING"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      """SELECT id, id % 3 AS k, id * id % 97 AS t0, timestamp_seconds(id * 7 + id * id % 5) AS at,
        |  IF(id % 5 = 0, NULL, id * 7919 % 23) AS n,
        |  IF(id % 7 = 0, NULL, (id * 7919 % 101 - 50) / 8D) AS x
        |FROM range(150)""".stripMargin
    ).createOrReplaceTempView("t")
  }

  /** Over the frame's rows as arrays of structs, in their order. */
  private def compare(call: String, list: String, finish: String => String): Unit =
    frames.foreach { frame =>
      val over = s"OVER (PARTITION BY k ORDER BY id $frame)"
      val ours = spark.sql(s"SELECT id, $call $over AS r FROM t ORDER BY id").collect().toSeq
      val stock = withMuntin(enabled = false)(spark.sql(
        s"SELECT id, ${finish("l")} AS r FROM (SELECT id, $list $over AS l FROM t) ORDER BY id"
      ).collect().toSeq)
      assert(ours === stock, s"$call $frame")
    }

  // An index instead of a UDF: rows and the preceding rows.
  private def steps(l: String, step: String) =
    s"zip_with(slice($l, 1, size($l) - 1), slice($l, 2, size($l)), (a, b) -> $step)"

  private def sum(of: String, zero: String) = s"aggregate($of, $zero, (s, v) -> s + v)"

  test("counter_increase") {
    compare(
      "counter_increase(n)",
      "collect_list(n)",
      l =>
        s"IF(size($l) = 0, NULL, IF(size($l) = 1, 0L, " +
          s"${sum(steps(l, "IF(b < a, b, b - a)"), "0L")}))"
    )
  }

  test("counters of decimals are exact") {
    def up(zero: String, as: String)(l: String) =
      s"aggregate(${steps(l, "IF(b < a, b, CAST(b - a AS DECIMAL(8, 3)))")}, $zero, (s, v) -> CAST(s + v AS $as))"
    val decimal = "CAST(n * 1.125 AS DECIMAL(8, 3))"
    compare(
      s"counter_increase($decimal)",
      s"collect_list($decimal)",
      l =>
        s"IF(size($l) = 0, NULL, ${up("CAST(0 AS DECIMAL(18, 3))", "DECIMAL(18, 3)")(s"IF(size($l) = 0, array(0.000), $l)")})"
    )
    compare(
      s"counter_rate(CAST(n * 0.1 AS DECIMAL(18, 1)), at)",
      "collect_list(IF(n IS NULL, NULL, struct(n, unix_seconds(at) AS t)))",
      l =>
        s"IF(size($l) < 2, NULL, ${sum(steps(l, "IF(b.n < a.n, b.n, b.n - a.n)"), "0L")} / 10D " +
          s"* 1000000D / ((element_at($l, -1).t - $l[0].t) * 1000000D))"
    )
    val most = "9" * 18
    assert(spark.sql(
      s"SELECT counter_increase(x) FROM VALUES (0.5BD), (${most.dropRight(1)}.9BD), (0.1BD) AS t(x)"
    ).collect().toSeq === Seq(Row(new java.math.BigDecimal(s"${most.dropRight(1)}.5"))))
  }

  test("counter_rate, per second and per minute") {
    val list = "collect_list(IF(n IS NULL, NULL, struct(n, unix_seconds(at) AS t)))"
    Seq("" -> "1", ", INTERVAL 1 MINUTE" -> "60").foreach { case (unit, length) =>
      compare(
        s"counter_rate(n, at$unit)",
        list,
        l =>
          s"IF(size($l) < 2, NULL, ${sum(steps(l, "IF(b.n < a.n, b.n, b.n - a.n)"), "0L")} " +
            s"* ${length}000000D / ((element_at($l, -1).t - $l[0].t) * 1000000D))"
      )
    }
  }

  test("time_weighted_avg, of values that hold and along lines") {
    val list = "collect_list(IF(x IS NULL, NULL, struct(x, unix_seconds(at) AS t)))"
    Seq("locf" -> "a.x", "linear" -> "(a.x + b.x) / 2").foreach { case (method, height) =>
      compare(
        s"time_weighted_avg(x, at, '$method')",
        list,
        // Sums of eighths by seconds are exact.
        l =>
          s"IF(size($l) < 2, NULL, ${sum(steps(l, s"$height * (b.t - a.t)"), "0D")} / " +
            s"(element_at($l, -1).t - $l[0].t))"
      )
    }
  }

  test("top_n, bottom_n, and by another column") {
    compare("top_n(x, 3)", "collect_list(x)", l => s"slice(reverse(array_sort($l)), 1, 3)")
    compare("bottom_n(n, 4)", "collect_list(n)", l => s"slice(array_sort($l), 1, 4)")
    compare(
      "top_n(x, 2, by => t0)",
      "collect_list(struct(-t0 AS t, id, x))",
      l => s"transform(slice(array_sort($l), 1, 2), r -> r.x)"
    )
  }

  test("histogram") {
    compare(
      "histogram(x, array(-2, 0, 2.5D))",
      "collect_list(x)",
      l =>
        "array(" + Seq(
          ("NULL", "-2D", "v <= -2"),
          ("-2D", "0D", "v > -2 AND v <= 0"),
          ("0D", "2.5D", "v > 0 AND v <= 2.5"),
          ("2.5D", "NULL", "v > 2.5")
        ).map { case (low, high, in) =>
          s"struct(CAST($low AS DOUBLE) AS low, CAST($high AS DOUBLE) AS high, " +
            s"CAST(size(filter($l, v -> $in)) AS BIGINT) AS count)"
        }.mkString(", ") + ")"
    )
  }

  test("an increase that does not fit a BIGINT is an error under ANSI, otherwise null") {
    val query = s"SELECT counter_increase(x) FROM VALUES (0L), (${Long.MaxValue}L), (5L) AS t(x)"
    withConf("spark.sql.ansi.enabled" -> "true") {
      val error = intercept[ArithmeticException](spark.sql(query).collect())
      assert(error.getMessage.contains("ARITHMETIC_OVERFLOW"))
    }
    withConf("spark.sql.ansi.enabled" -> "false") {
      assert(spark.sql(query).collect().toSeq === Seq(Row(null)))
    }
  }

  test("decreasing times are an error") {
    Seq("counter_rate(n, at)", "time_weighted_avg(n, at)").foreach { call =>
      assertFails("MUNTIN_DECREASING_TIMES", "parameter" -> "at", "time" -> "t.at") {
        spark.sql(s"SELECT $call OVER (PARTITION BY k ORDER BY at DESC) FROM t").collect()
      }
    }
  }

  for (
    (call, condition, parameter) <- Seq(
      ("counter_increase(CAST(n AS STRING))", "MUNTIN_INVALID_ARGUMENT_TYPE", "x"),
      ("counter_increase(CAST(n AS DECIMAL(19, 0)))", "MUNTIN_INVALID_ARGUMENT_TYPE", "x"),
      ("counter_rate(n, 'a')", "MUNTIN_INVALID_ARGUMENT_TYPE", "at"),
      ("counter_rate(n, at, 3)", "MUNTIN_INVALID_ARGUMENT_VALUE", "unit"),
      ("time_weighted_avg(x, at, 'square')", "MUNTIN_INVALID_ARGUMENT_VALUE", "method"),
      ("time_weighted_avg('a', at)", "MUNTIN_INVALID_ARGUMENT_TYPE", "x"),
      ("top_n(x, 0)", "MUNTIN_INVALID_ARGUMENT_VALUE", "n"),
      ("histogram(x, array())", "MUNTIN_INVALID_ARGUMENT_VALUE", "bounds"),
      ("histogram(x, array(2, 1))", "MUNTIN_INVALID_ARGUMENT_VALUE", "bounds"),
      ("histogram(x, array(1, NULL))", "MUNTIN_INVALID_ARGUMENT_VALUE", "bounds"),
      ("histogram(x, array(x))", "MUNTIN_INVALID_ARGUMENT_VALUE", "bounds"),
      ("histogram(x, 3)", "MUNTIN_INVALID_ARGUMENT_VALUE", "bounds")
    )
  ) test(s"$call is rejected") {
    assertFails(condition, "parameter" -> parameter) {
      spark.sql(s"SELECT $call FROM t").collect()
    }
  }

  test("top_n rejects values without an order") {
    val error = intercept[AnalysisException](spark.sql("SELECT top_n(map(x, x), 2) FROM t"))
    assert(error.getMessage.toLowerCase.contains("map"), error.getMessage)
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.muntin.conf.MuntinConf

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DoubleType

/** nth, rate and completeness: in groups, in windows, under motions; their types and errors. */
class OdysseusAggregatesSuite extends MuntinSession {
  private def one(query: String): Any = {
    val rows = spark.sql(query).collect()
    assert(rows.length === 1)
    rows.head.get(0)
  }

  private def column(query: String): Seq[Any] = sameRows(query) match {
    case Outcome.Rows(_, rows, _) => rows.map(_.get(0))
    case other => fail(s"no rows: $other")
  }

  private def refused(query: String): AnalysisException =
    intercept[AnalysisException](spark.sql(query))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      """CREATE TEMP VIEW v AS SELECT * FROM VALUES
        |(1, 'a', 10), (2, NULL, 20), (3, 'c', NULL), (4, 'd', 40) AS v(id, s, x)""".stripMargin
    ): Unit
  }

  test("nth counts from 1, nulls as rows, and is null below n rows") {
    assert(
      (1 to 5).map(n => one(s"SELECT nth(s, $n) FROM v")) === Seq("a", null, "c", "d", null)
    )
    assert(one("SELECT nth(s, 2) FILTER (WHERE s IS NOT NULL) FROM v") === "c")
    assert(one("SELECT nth(x => id, n => 1) FROM v WHERE false") === null)
  }

  test("nth over partials, of few and many groups, equals nth over all rows in their order") {
    // Each partition's rows are contiguous; a range has a given number of rows.
    (1 to 5).foreach { partitions =>
      spark.range(0, 40, 1, partitions).createOrReplaceTempView("r")
      assert(one("SELECT nth(id, 17) FROM r WHERE id % 2 = 0") === 32L)
    }
    val groups = spark.sql(
      "SELECT id % 500 AS k, nth(named_struct('a', id, 's', string(id)), 3) AS t FROM range(0, 5000, 1, 3) " +
        "GROUP BY k"
    )
    assert(groups.where("t.a % 500 = k AND t.s = string(t.a)").count() === 500)
  }

  test("nth in windows equals nth_value in every frame") {
    Seq(
      "ORDER BY id ROWS 2 PRECEDING",
      "ORDER BY id",
      "ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING"
    ).foreach { frame =>
      sameRowsAs(
        s"SELECT nth_value(s, 2) OVER ($frame) AS r FROM v",
        s"SELECT nth(s, 2) OVER ($frame) AS r FROM v"
      )
    }
  }

  test("completeness is the share of non-null rows") {
    assert(one("SELECT completeness(s) FROM v") === 0.75)
    assert(one("SELECT completeness(id) FROM v") === 1.0)
    assert(one("SELECT completeness(NULL) FROM v") === 0.0)
    assert(one("SELECT completeness(s) FROM v WHERE false") === null)
    assert(one("SELECT completeness(s) FILTER (WHERE id < 3) FROM v") === 0.5)
    assert(
      column("SELECT completeness(s) OVER (ORDER BY id ROWS 1 PRECEDING) FROM v") ===
        Seq(1.0, 0.5, 0.5, 1.0)
    )
  }

  test("completeness of distinct values counts null as a distinct value") {
    val values = "VALUES (1, 1), (2, 1), (3, NULL), (4, NULL), (5, 2) AS t(id, x)"
    assert(one(s"SELECT completeness(DISTINCT x) FROM $values") === 2.0 / 3)
    val windows = s"SELECT completeness(DISTINCT x) OVER (ORDER BY id) FROM $values"
    assert(spark.sql(windows).collect().map(_.get(0)) === Seq(1.0, 1.0, 0.5, 0.5, 2.0 / 3))
  }

  private def times(kind: String) =
    s"""VALUES (1, $kind'2024-03-09 22:00', $kind'2024-03-10 22:00'), (2, NULL, $kind'2024-03-10 00:00'),
       |(3, $kind'2024-03-10 01:00', $kind'2024-03-10 02:30') AS t(id, a, b)""".stripMargin

  test("rate counts elements per unit of the first element's length") {
    Seq("TIMESTAMP", "TIMESTAMP_NTZ").foreach { kind =>
      val from = times(kind)
      assert(one(s"SELECT rate(a, b) FROM $from") === 2.0 / 86400)
      assert(one(s"SELECT rate(a, b, INTERVAL '1' DAY) FROM $from") === 2.0)
      assert(one(
        s"SELECT rate(start => a, end => b, unit => INTERVAL 1 HOUR) FROM $from WHERE id > 1"
      ) === 1 / 1.5)
      assert(one(s"SELECT rate(a, b, make_interval(0, 0, 0, 1)) FROM $from") === 2.0)
    }
    assert(one("SELECT rate(DATE'2024-01-01', DATE'2024-01-05') FROM range(6)") === 1.5)
    assert(
      one("SELECT rate(DATE'2024-01-01', DATE'2024-01-05', INTERVAL 1 HOUR) FROM range(6)") ===
        6.0 / 96
    )
    assert(one("SELECT rate(id, id + 2.5) FROM range(5)") === 2.0)
    assert(one("SELECT rate(id, id + 4, 0.5D) FROM range(4)") === 0.5)
    assert(one("SELECT rate(1700000000000000001, 1700000000000000003) FROM range(4)") === 2.0)
    assert(
      one("SELECT rate(-9000000000000000000, 9000000000000000000, 1.8e19) FROM range(4)") === 4.0
    )
    assert(one("SELECT rate(id, NULL) FROM range(4)") === null)
    assert(one("SELECT rate(id, id + 1) FROM range(0)") === null)
  }

  test("rate measures elapsed time, not clock time") {
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      val hours = (kind: String) => one(s"SELECT rate(a, b, INTERVAL 1 HOUR) FROM ${times(kind)}")
      assert(hours("TIMESTAMP") === 2.0 / 23)
      assert(hours("TIMESTAMP_NTZ") === 2.0 / 24)
    }
  }

  test(
    "rate is null if the first element has no length, and an error if it ends before it starts"
  ) {
    val values = "VALUES (1, 5, 5), (2, 5, 7), (3, 7, 6) AS t(id, a, b)"
    assert(one(s"SELECT rate(a, b) FROM $values") === null)
    assert(one(s"SELECT rate(a, b) FROM $values WHERE id > 1") === 1.0)
    def fails(query: String): Unit =
      assertFails("MUNTIN_RATE_ENDS_BEFORE_START", "function" -> "rate") {
        spark.sql(query).collect()
      }
    fails(s"SELECT rate(a, b) FROM $values WHERE id > 2")
    Seq("true", "false").foreach { enabled =>
      withConf(MuntinConf.OverEnabled.key -> enabled) {
        fails(s"SELECT rate(a, b) OVER (ORDER BY id ROWS CURRENT ROW) FROM $values")
      }
    }
  }

  test("the first element of a group is found in partials") {
    val query = "SELECT rate(id, id + 1 + id / 10) FROM range(0, 100, 1, 4) WHERE id >= 10"
    assert(one(query) === 45.0)
  }

  test("each runs under sliding and since") {
    assert(column("SELECT sliding(nth(s, 1), 2) OVER (ORDER BY id) FROM v") ===
      Seq[Any](null, "a", null, "c"))
    assert(column("SELECT since(completeness(x), s IS NULL) OVER (ORDER BY id) FROM v") ===
      Seq(1.0, 1.0, 0.0, 0.5))
    assert(column("SELECT sliding(rate(id, id + x), 2, x > 0) OVER (ORDER BY id) FROM v") ===
      Seq[Any](null, 0.2, 0.2, 0.1))
  }

  test("collect_set in a window is in first-seen order") {
    val sets = spark.sql(
      "SELECT collect_set(x) OVER (ORDER BY id ROWS 3 PRECEDING) FROM VALUES " +
        "(1, 9), (2, 1), (3, 9), (4, 5), (5, 9), (6, 1) AS t(id, x)"
    )
    assert(
      sets.collect().map(_.getSeq[Int](0).toSeq) ===
        Seq(Seq(9), Seq(9, 1), Seq(9, 1), Seq(9, 1, 5), Seq(1, 9, 5), Seq(9, 5, 1))
    )
  }

  test("EXPLAIN shows the accumulators, and columns have their names") {
    val frame = spark.sql(
      "SELECT nth(s, 2) OVER w, rate(id, x) OVER w, completeness(s) OVER w FROM v " +
        "WINDOW w AS (ORDER BY id ROWS 2 PRECEDING)"
    )
    val plan = frame.queryExecution.executedPlan.toString
    Seq("position in the frame", "queue of positions, exact count", "exact share").foreach { part =>
      assert(plan.contains(part), plan)
    }
    assert(spark.sql("SELECT nth(s, 2), rate(id, x), completeness(s) FROM v").columns ===
      Seq("nth(s, 2)", "rate(id, x)", "completeness(s)"))
    assert(spark.sql("SELECT rate(id, x) FROM v").schema.head.dataType === DoubleType)
  }

  test("invalid arguments are rejected") {
    val incompatible = "MUNTIN_INCOMPATIBLE_TIMES"
    Seq(
      ("nth(s, 0)", "n", "0"),
      ("nth(s, id)", "n", "v.id"),
      ("nth(s, NULL)", "n", "NULL"),
      ("nth(s, 1.5)", "n", "1.5BD"),
      ("rate(id, x, INTERVAL 1 SECOND)", "unit", "INTERVAL '01' SECOND"),
      ("rate(id, x, 0)", "unit", "0"),
      ("rate(id, x, id)", "unit", "v.id"),
      ("rate(current_date(), current_date(), 1)", "unit", "1"),
      ("rate(current_date(), current_date(), INTERVAL 1 MONTH)", "unit", "INTERVAL '1' MONTH"),
      ("rate(current_date(), current_date(), INTERVAL '-1' DAY)", "unit", "INTERVAL '-1' DAY")
    ).foreach { case (call, parameter, argument) =>
      Seq("", " OVER (ORDER BY id)").foreach { over =>
        assertCondition(
          refused(s"SELECT $call$over FROM v"),
          "MUNTIN_INVALID_ARGUMENT_VALUE",
          "function" -> call.takeWhile(_ != '('),
          "parameter" -> parameter,
          "argument" -> argument
        )
      }
    }
    assertCondition(refused("SELECT rate(s, x) FROM v"), incompatible, "startType" -> "STRING")
    assertCondition(
      refused("SELECT rate(x, current_timestamp()) OVER (ORDER BY id) FROM v"),
      incompatible,
      "startType" -> "INT",
      "endType" -> "TIMESTAMP"
    )
  }

  test("times as numbers, for frames of RANGE") {
    assert(one("SELECT row_time(DATE'1970-01-02')") === 86400000000L)
    assert(one("SELECT row_time(TIMESTAMP_NTZ'1970-01-01 00:00:01.5')") === 1500000L)
    assert(one("SELECT row_time(TIMESTAMP'1970-01-01 00:00:01.5Z')") === 1500000L)
    assert(one("SELECT row_time(CAST(NULL AS DATE))") === null)
    assertCondition(
      refused("SELECT row_time('now')"),
      "MUNTIN_RANGE_OF_DURATIONS_WITHOUT_TIME",
      "order" -> "'now'",
      "type" -> "STRING"
    )
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{call_function, col, count_distinct, expr, lit, sum}

/** sliding and since in queries: their examples, where they are allowed, and rejected calls. */
class MovingAggregatesSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 90, seed = 12)
  }

  /**
   * Returns the first column of a query, which must be equal with and without Muntin's operator.
   */
  private def values(query: String): Seq[Any] = sameRows(query) match {
    case Outcome.Rows(_, rows, _) => rows.map(_.get(0))
    case other => fail(s"no rows: $other")
  }

  private val purchases =
    "VALUES (DATE'2012-02-23', 5), (DATE'2012-05-10', 2), (DATE'2018-11-03', 13), " +
      "(DATE'2019-10-26', 4) AS purchases(day, amount)"

  private val readings =
    "VALUES (1, 10D), (2, 6.2D), (3, 9.25D), (4, 3D), (5, 8D), (6, NULL), (7, 10D) AS readings(t, x)"

  test("sliding: null until n rows have qualified") {
    assert(values(
      s"SELECT sliding(sum(amount), 2, amount IS NOT NULL) OVER (ORDER BY day) FROM $purchases"
    ) === Seq[Any](null, 7L, 15L, 17L))
    assert(values(
      s"SELECT sliding(sum(amount), 2, partial => true) OVER (ORDER BY day) FROM $purchases"
    ) === Seq(5L, 7L, 15L, 17L))
    assert(values(
      s"SELECT sliding(count(amount), 2) OVER (ORDER BY day) FROM $purchases"
    ) === Seq[Any](null, 2L, 2L, 2L))
  }

  test("sliding: rows that do not qualify have the preceding window") {
    assert(values(
      s"SELECT sliding(sum(x), 2, x > 7) OVER (ORDER BY t) FROM $readings"
    ) === Seq[Any](null, null, 19.25, 19.25, 17.25, 17.25, 18d))
    assert(values(
      s"SELECT sliding(count(*), 3, x > 9, partial => true) OVER (ORDER BY t) FROM $readings"
    ) === Seq(1L, 1L, 2L, 2L, 2L, 2L, 3L))
    assert(values(
      s"SELECT sliding(count(*), 3, x > 100, true) OVER (ORDER BY t) FROM $readings"
    ) === Seq.fill(7)(0L))
  }

  test("sliding: a qualifying row with a null input is a row") {
    assert(values(
      s"SELECT sliding(sum(x), 2) OVER (ORDER BY t) FROM $readings"
    ) === Seq[Any](null, 16.2, 15.45, 12.25, 11d, 8d, 10d))
    assert(values(
      s"SELECT sliding(sum(x) FILTER (WHERE x > 8), 2) OVER (ORDER BY t) FROM $readings"
    ) === Seq[Any](null, 10d, 9.25, 9.25, null, null, 10d))
  }

  test("since: update, emit, reset") {
    assert(values(s"SELECT since(sum(x), x < 7) OVER (ORDER BY t) FROM $readings") ===
      Seq(10d, 16.2, 9.25, 12.25, 8d, 8d, 18d))
    assert(values(s"SELECT since(count(x), x > 5, 2) OVER (ORDER BY t) FROM $readings") ===
      Seq(1L, 2L, 2L, 2L, 3L, 2L, 3L))
  }

  private val over = "OVER (PARTITION BY k ORDER BY i32, id)"
  private val rowsBefore =
    "OVER (PARTITION BY k ORDER BY i32, id ROWS UNBOUNDED PRECEDING)"

  sampledTest("the windows of sliding are the ends of lists of all qualifying rows") {
    for (n <- Seq(1, 3, 10); condition <- Seq("flag", "x > 0", "id % 4 = 1")) {
      sameRowsAs(
        s"SELECT id, slice(l, greatest(1, size(l) - $n + 1), $n) AS w FROM " +
          s"(SELECT id, collect_list(id) FILTER (WHERE $condition) $rowsBefore AS l FROM t)",
        s"SELECT id, sliding(collect_list(id), $n, $condition, true) $over AS w FROM t"
      )
      sameRowsAs(
        s"SELECT id, IF(size(l) < $n, NULL, slice(l, greatest(1, size(l) - $n + 1), $n)) AS w " +
          s"FROM (SELECT id, collect_list(id) FILTER (WHERE $condition) $rowsBefore AS l FROM t)",
        s"SELECT id, sliding(collect_list(id), $n, $condition) $over AS w FROM t"
      )
    }
  }

  test("a running count of its predicate defines the windows of since") {
    for {
      n <- Seq(1, 2, 5)
      predicate <- Seq("flag", "x > 0", "id % 4 = 1")
      // 'left': the row itself counts, because it begins a part.
      (closed, last) <- Seq("right" -> "1 PRECEDING", "left" -> "CURRENT ROW")
    } sameRowsAs(
      s"""SELECT id, transform(filter(l, r -> r.g > g - $n), r -> r.id) AS w FROM (
              SELECT id, g, collect_list(struct(g, id)) $rowsBefore AS l FROM (
                SELECT *, count_if($predicate) OVER (PARTITION BY k ORDER BY i32, id
                  ROWS BETWEEN UNBOUNDED PRECEDING AND $last) AS g FROM t))""",
      s"SELECT id, since(collect_list(id), $predicate, $n, '$closed') $over AS w FROM t"
    )
  }

  sampledTest(
    "equivalences: since(true) and each row, since(true, n) and the last n rows"
  ) {
    def column(item: String) = values(s"SELECT $item $over FROM t ORDER BY id").map(String.valueOf)
    for (agg <- Seq("sum(y)", "max(s)", "count(DISTINCT i8)", "median(x)", "first(day)")) {
      val alone = spark.sql(s"SELECT $agg FROM t GROUP BY id ORDER BY id").collect().toSeq
      assert(column(s"since($agg, true)") === alone.map(row => String.valueOf(row.get(0))))
      for (n <- Seq(1, 4))
        for (closed <- Seq("right", "left"))
          assert(column(s"since($agg, true, $n, closed => '$closed')") ===
            column(s"sliding($agg, $n, partial => true)"))
    }
  }

  test("in a WINDOW clause, a view, a subquery, over groups, in expressions and with others") {
    sameRows("SELECT id, sliding(sum(y), 3) OVER w, max(y) OVER w, since(min(s), flag) OVER w " +
      "FROM t WINDOW w AS (PARTITION BY k ORDER BY id) ORDER BY id")
    spark.sql(s"CREATE OR REPLACE TEMP VIEW v AS SELECT id, sliding(avg(y), 3) $over AS m FROM t")
    sameRows("SELECT sum(m), count(m) FROM v WHERE id > 3")
    sameRows(s"WITH c AS (SELECT id, since(sum(i32), i32 > 5) $over AS s FROM t) SELECT * FROM c")
    sameRows(
      "SELECT i8, sliding(sum(sum(y)), 2, count(*) > 1) OVER (ORDER BY i8) FROM t GROUP BY i8"
    )
    sameRows(
      "SELECT i8, since(max(count(*)), avg(y) > 0) OVER (ORDER BY i8) FROM t GROUP BY i8 " +
        "HAVING count(*) > 0"
    )
    sameRows(s"SELECT id, y - sliding(avg(y), 4) $over + since(sum(y), y > 1) $over AS d FROM t")
    sameRows(s"SELECT id FROM t QUALIFY sliding(sum(i8), 2) $over > 0")
    sameRows(s"SELECT id, sliding(corr(i8, i32), 5) $over, since(avg('3'), i8 > 1.5) $over FROM t")
    sameRows(s"SELECT id, muntin.sliding(sum(y), 2) $over, SLIDING(sum(y), 3) $over FROM t")
  }

  test("together with functions whose frames look ahead") {
    sameRows(
      s"SELECT id, sliding(sum(i32), 3, flag) $over AS a, since(count(*), flag, 2) $over AS b, " +
        "lead(id, 5) OVER (PARTITION BY k ORDER BY i32, id) AS c, " +
        "sum(i8) OVER (PARTITION BY k ORDER BY i32, id ROWS BETWEEN 2 PRECEDING AND 7 FOLLOWING) AS d " +
        "FROM t"
    )
  }

  test("as columns") {
    val w = Window.partitionBy("k").orderBy("i32", "id")
    checkSame(spark.table("t").select(
      col("id"),
      call_function("sliding", sum("y"), lit(3)).over(w),
      call_function("sliding", count_distinct(col("s")), lit(3), col("flag"), lit(true)).over(w),
      call_function("since", sum("y"), expr("i32 > 0")).over(w),
      call_function("since", sum("y"), expr("i32 > 0"), lit(2)).over(w)
    ))
  }

  test("columns are named by the call") {
    val names = spark
      .sql(
        s"SELECT sliding(sum(y) FILTER (WHERE flag), 3, i8 > 0) $over, since(count(1), flag) $over FROM t"
      )
      .columns
      .map(_.takeWhile(_ != '['))
    assert(names.head.startsWith("sliding(sum(y) FILTER (WHERE flag), 3, (i8 > 0)) OVER ("))
    assert(names(1).startsWith("since(count(1), flag) OVER ("))
  }

  test("EXPLAIN shows the rows of the windows") {
    val plan = spark
      .sql(s"SELECT sliding(max(y), 3, flag) $over, since(max(y), flag) $over FROM t")
      .queryExecution
      .executedPlan
      .toString
    assert(plan.contains("last 3 rows where t.flag"))
    assert(plan.contains("since t.flag"))
    assert(muntinNodes(spark.sql(s"SELECT sliding(max(y), 3) $over FROM t")).size === 1)
  }

  private def refuses(item: String)(condition: String, parameters: (String, String)*): Unit =
    assertCondition(
      intercept[AnalysisException](spark.sql(s"SELECT $item FROM t")),
      condition,
      parameters: _*
    )

  test("invalid arguments are rejected") {
    def refusesValue(item: String)(parameter: String, argument: String): Unit = refuses(item)(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "function" -> item.takeWhile(_ != '('),
      "parameter" -> parameter,
      "argument" -> argument
    )
    refusesValue(s"sliding(sum(y), 0) $over")("n", "0")
    refusesValue(s"sliding(sum(y), -2) $over")("n", "-2")
    refusesValue(s"sliding(sum(y), 2.5) $over")("n", "2.5BD")
    refusesValue(s"sliding(sum(y), i8) $over")("n", "t.i8")
    refusesValue(s"sliding(sum(y), NULL) $over")("n", "NULL")
    refusesValue(s"sliding(sum(y), 9999999999) $over")("n", "9999999999L")
    refuses(s"sliding(y, 3) $over")("MUNTIN_NOT_AN_AGGREGATE", "argument" -> "t.y")
    refuses(s"sliding(sum(y) $over, 3) $over")("MUNTIN_OVER_INSIDE_FUNCTION")
    refuses(s"sliding(nth_value(y, 2), 3) $over")(
      "MUNTIN_NOT_AN_AGGREGATE",
      "example" -> "nth(x, n)"
    )
    refuses(s"sliding(sliding(sum(y), 3), 3) $over")("MUNTIN_AGGREGATE_HAS_WINDOW")
    val wrongType = "MUNTIN_INVALID_ARGUMENT_TYPE"
    refuses(s"sliding(sum(y), 3, i8) $over")(wrongType, "parameter" -> "where", "type" -> "TINYINT")
    refuses(s"sliding(sum(y), 3, rand() > 0.5) $over")("MUNTIN_NONDETERMINISTIC")
    refusesValue(s"sliding(sum(y), 3, flag, 'yes') $over")("partial", "'yes'")
    refuses(s"since(sum(y), s) $over")(wrongType, "parameter" -> "predicate", "type" -> "STRING")
    refusesValue(s"since(sum(y), NULL) $over")("predicate", "NULL")
    refusesValue(s"since(sum(y), flag, 0) $over")("n", "0")
    refuses(s"since(sum(y), flag, count => 2) $over")("UNRECOGNIZED_PARAMETER_NAME")
    refusesValue(s"since(sum(y), flag, closed => 'both') $over")("closed", "'both'")
    refuses(s"sliding(sum(y)) $over")("REQUIRED_PARAMETER_NOT_FOUND")
    refuses(s"sliding(sum(y), 1, flag, true, 5, 6) $over")("WRONG_NUM_ARGS.WITHOUT_SUGGESTION")
    refuses(s"sliding(sum(st), 2) $over")("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE")
    refuses(s"sliding(sum(nowhere), 2) $over")("UNRESOLVED_COLUMN.WITH_SUGGESTION")
  }

  test("invalid clauses are rejected") {
    refuses("sliding(sum(y), 3)")("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE")
    refuses("since(sum(y), flag)")("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE")
    refuses("sliding(sum(y), 3) OVER (PARTITION BY k)")(
      "MUNTIN_MISSING_ORDER_BY",
      "function" -> "sliding"
    )
    Seq(
      "sliding(sum(y), 3) OVER (ORDER BY id RANGE 3 PRECEDING)",
      "since(sum(y), flag) OVER (ORDER BY id ROWS 3 PRECEDING)",
      "since(sum(y), flag) OVER (ORDER BY id RANGE UNBOUNDED PRECEDING)"
    ).foreach(refuses(_)("MUNTIN_UNEXPECTED_FRAME"))
    Seq(
      s"sliding(DISTINCT sum(y), 3) $over" -> "DISTINCT",
      s"sliding(sum(y), 3) FILTER (WHERE flag) $over" -> "FILTER"
    ).foreach { case (item, clause) =>
      refuses(item)("MUNTIN_CLAUSE_OF_INNER_AGGREGATE", "clause" -> clause)
    }
    sameRows("SELECT sliding(sum(y), 3) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM t")
  }

  test("a running session that registers Muntin has the functions as well") {
    val clone = Registration.register(spark)
    assert(clone.sql(s"SELECT sliding(sum(y), 3) $over FROM t").collect().length === 90)
    val described = spark.sql("DESCRIBE FUNCTION sliding").collect().map(_.getString(0))
    assert(described.mkString("\n").contains("sliding(agg, n[, where][, partial][, ttl]) OVER"))
  }

  test("columns have the names that the query writes") {
    val names = spark.sql(
      """SELECT sliding(avg(id), 3) OVER (PARTITION BY id % 2 ORDER BY id),
        |       since(sum(id), id > 3) OVER (ORDER BY id DESC),
        |       framed(max(id), 'left') OVER (ORDER BY id ROWS 2 PRECEDING),
        |       sliding(avg(id), 3) OVER (ORDER BY id) + 1,
        |       sliding(avg(id), 3) OVER (ORDER BY id) AS given
        |FROM range(3)""".stripMargin
    ).columns
    assert(
      names(0) === "sliding(avg(id), 3) OVER (PARTITION BY (id % 2) ORDER BY id ASC NULLS FIRST)"
    )
    assert(names(1) === "since(sum(id), (id > 3)) OVER (ORDER BY id DESC NULLS LAST)")
    assert(names(2) === "framed(max(id), closed => 'left') OVER (ORDER BY id ASC NULLS FIRST " +
      "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)")
    assert(names(4) === "given")
  }
}

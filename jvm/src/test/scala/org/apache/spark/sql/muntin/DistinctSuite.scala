package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException

/** DISTINCT in OVER, which stock Spark rejects, against sets that stock Spark collects. */
class DistinctSuite extends MuntinSession {
  private val frames = Seq(
    "PARTITION BY k ORDER BY id ROWS BETWEEN 7 PRECEDING AND CURRENT ROW",
    "PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN 4 FOLLOWING AND 9 FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "PARTITION BY k ORDER BY i32 RANGE BETWEEN 3 PRECEDING AND CURRENT ROW",
    "PARTITION BY k ORDER BY i32 DESC RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "PARTITION BY k ORDER BY i32",
    "PARTITION BY k",
    "ORDER BY id ROWS BETWEEN 20 PRECEDING AND CURRENT ROW"
  )

  private val values =
    Seq(
      "flag",
      "i8",
      "i32",
      "i64",
      "d5",
      "d38",
      "f",
      "x",
      "wild",
      "s",
      "bin",
      "day",
      "ts",
      "dt",
      "arr",
      "st"
    ).filter(RunningSpark.listsOnce)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 90, seed = 17)
  }

  private def select(items: Seq[String], frame: String): String =
    s"SELECT id, ${items.map(i => s"${i.replace("OVER w", s"OVER ($frame)")}").zipWithIndex
        .map { case (e, i) => s"$e AS r$i" }.mkString(", ")} FROM t"

  frames.foreach { frame =>
    sampledTest(s"count(DISTINCT …) OVER ($frame)", most = 3) {
      sameRowsAs(
        select(values.map(v => s"CAST(size(collect_set($v) OVER w) AS BIGINT)"), frame),
        select(values.map(v => s"count(DISTINCT $v) OVER w"), frame)
      )
    }

    sampledTest(s"several columns, FILTER, sums of distinct values OVER ($frame)", most = 3) {
      def total(v: String, zero: String) =
        s"CASE WHEN count($v) OVER w > 0 THEN aggregate(collect_set($v) OVER w, $zero, (a, b) -> a + b) END"
      sameRowsAs(
        select(
          Seq(
            "CAST(size(collect_set(IF(s IS NULL OR i8 IS NULL, NULL, struct(s, i8))) OVER w) AS BIGINT)",
            "CAST(size(collect_set(s) FILTER (WHERE i32 > 0) OVER w) AS BIGINT)",
            total("i32", "0L"),
            total("y", "0D"),
            "min(i32) OVER w",
            s"${total("y", "0D")} / size(collect_set(y) OVER w)",
            "array_distinct(collect_list(s) OVER w)",
            "array_distinct(collect_list(x) FILTER (WHERE flag) OVER w)"
          ),
          frame
        ),
        select(
          Seq(
            "count(DISTINCT s, i8) OVER w",
            "count(DISTINCT s) FILTER (WHERE i32 > 0) OVER w",
            "sum(DISTINCT i32) OVER w",
            "sum(DISTINCT y) OVER w",
            "min(DISTINCT i32) OVER w",
            "avg(DISTINCT y) OVER w",
            "collect_list(DISTINCT s) OVER w",
            "collect_set(x) FILTER (WHERE flag) OVER w"
          ),
          frame
        )
      )
    }

    sampledTest(s"collect_set in first-seen order OVER ($frame)", most = 3) {
      sameRowsAs(
        select(values.map(v => s"array_distinct(collect_list($v) OVER w)"), frame),
        select(values.map(v => s"collect_set($v) OVER w"), frame)
      )
    }

    sampledTest(s"mode OVER ($frame)", most = 3) {
      sameRows(select(values.map(v => s"mode($v, true) OVER w"), frame))
      sameRows(
        select(values.map(v => s"mode() WITHIN GROUP (ORDER BY $v DESC) OVER w"), frame)
      )
    }

    sampledTest(s"size(collect_…) runs as a count OVER ($frame)", most = 3) {
      val sizes =
        values.flatMap(v => Seq(s"size(collect_set($v) OVER w)", s"size(collect_list($v) OVER w)"))
      sameRows(select(sizes, frame))
      withMuntin(enabled = true) {
        val plan = spark.sql(select(sizes, frame)).queryExecution.optimizedPlan
        assert(!plan.toString.contains("collect_"))
      }
    }
  }

  test("collated strings that look different are one value; the result is a value in the frame") {
    val query =
      """SELECT id, count(DISTINCT c) OVER w, collect_list(DISTINCT c) OVER w, mode(c) OVER w
        |FROM VALUES (1, 'a'), (2, 'A'), (3, 'b'), (4, 'A'), (5, 'a') AS v(id, v),
        |LATERAL (SELECT v COLLATE UTF8_LCASE AS c)
        |WINDOW w AS (ORDER BY id ROWS 1 PRECEDING) ORDER BY id""".stripMargin
    assert(
      spark.sql(query).collect().map(_.toString).toSeq === Seq(
        "[1,1,ArraySeq(a),a]",
        "[2,1,ArraySeq(a),a]",
        "[3,2,ArraySeq(A, b),A]",
        "[4,2,ArraySeq(b, A),A]",
        "[5,1,ArraySeq(A),A]"
      )
    )
  }

  test("sizes that select rows are counted as well") {
    val query =
      """SELECT id, n FROM (
        |  SELECT id, size(collect_set(s) OVER (PARTITION BY k ORDER BY id ROWS 5 PRECEDING)) AS n
        |  FROM t) WHERE n > 2""".stripMargin
    sameRows(query)
    assert(!spark.sql(query).queryExecution.optimizedPlan.toString.contains("collect_set"))
  }

  test("a set that is not only used by its size is collected") {
    val query =
      "SELECT id, size(c), c FROM (SELECT id, collect_set(i8) OVER (ORDER BY id) AS c FROM t)"
    val plan = spark.sql(query).queryExecution.optimizedPlan
    assert(plan.toString.contains("collect_set"))
    assert(spark.sql(query).collect().forall(r => r.getInt(1) == r.getSeq[Any](2).size))
  }

  test("DISTINCT raises Spark's own error if Muntin is turned off") {
    val query = "SELECT count(DISTINCT i8) OVER (ORDER BY id) FROM t"
    val error = withMuntin(enabled = false)(intercept[AnalysisException](spark.sql(query)))
    assert(error.getCondition === "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED")
  }

  test("a query that was resolved with Muntin and is planned without Muntin has correct results") {
    assume(RunningSpark.filtersInOver)
    val query =
      """SELECT id, count(DISTINCT i8) OVER w AS a, collect_list(DISTINCT s) OVER w AS b,
        |sum(DISTINCT y) FILTER (WHERE flag) OVER w AS c, avg(DISTINCT y) OVER w AS d,
        |max_by(DISTINCT s, i8) OVER w AS e, percentile_disc(0.3) WITHIN GROUP (ORDER BY y) OVER w AS f
        |FROM t WINDOW w AS (PARTITION BY k ORDER BY id ROWS 5 PRECEDING) ORDER BY id""".stripMargin
    val resolved = spark.sql(query)
    val byOther = withMuntin(enabled = false) {
      assert(sparkNodes(resolved).nonEmpty && muntinNodes(resolved).isEmpty)
      resolved.collect().map(_.toString).toSeq
    }
    val planned = spark.sql(query)
    assert(muntinNodes(planned).nonEmpty && sparkNodes(planned).isEmpty)
    assert(planned.collect().map(_.toString).toSeq === byOther)
  }

  test("DISTINCT of a type without an order is an analysis error") {
    val query = "SELECT count(DISTINCT map(i8, i8)) OVER (ORDER BY id) FROM t"
    val error = intercept[AnalysisException](spark.sql(query))
    assert(error.getCondition === "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE")
  }

  test("EXPLAIN shows the accumulator") {
    val plan = spark.sql(
      "SELECT count(DISTINCT i8) OVER w, sum(DISTINCT y) OVER w, mode(s) OVER w, " +
        "max_by(DISTINCT s, i8) OVER w FROM t WINDOW w AS (ORDER BY id ROWS 3 PRECEDING)"
    ).queryExecution.executedPlan.toString
    Seq(
      "count(distinct i8",
      ": tally of values",
      "exact sum, correctly rounded, of a tally's values",
      "tally of values, tournament",
      "recomputed, of a tally's values"
    ).foreach(part => assert(plan.contains(part), plan))
  }

  test("columns have the names of Spark") {
    val names = spark.sql(
      "SELECT count(DISTINCT i8) OVER (ORDER BY id), median(y) OVER (ORDER BY id) FROM t"
    ).columns
    assert(names.forall(n =>
      n.startsWith("count(DISTINCT i8) OVER") || n.startsWith("median(y) OVER")
    ))
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.muntin.{RandomTable, RunningSpark}

/** Windows over streams that rows never leave, and blocks that are merged if rows leave. */
final class GrowingStreamSuite extends StreamSession {
  override protected def settings: Map[String, String] =
    super.settings + ("spark.sql.ansi.enabled" -> "false")

  private val schema = RandomStreamQuery.schema

  private def row(random: Random, id: Int, key: String, seconds: Long): Row =
    Row.fromSeq(Seq[Any](
      id,
      key,
      at(seconds)
    ) ++ RandomTable.columns.map {
      c => if (random.nextInt(8) == 0) null else c.draw(random)
    })

  /** Returns the batch's results, bit for bit, and the maximum number of stored rows. */
  private def check(sql: String, batches: Seq[Seq[Row]], restarts: Set[Int]): Long = {
    val query = asked(sql) _
    var kept = 0L
    val out = streamed(
      schema,
      batches,
      restarts,
      p => kept = math.max(kept, metric(p, "numRowsBuffered").getOrElse(0L))
    )(df => query(df.withWatermark("t", "10 seconds"))).flatten
    val wanted = query(table(schema, batches.flatten)).collect().toSeq
    def told(rows: Seq[Row]) =
      rows.filter(_.getInt(0) >= 0).sortBy(_.getInt(0)).map { r =>
        r.schema.fieldNames.toSeq.zip(r.toSeq).map { case (n, v) => s"$n = ${Rendered(v)}" }
      }
    val (is, should) = (told(out), told(wanted))
    assert(is.size === should.size)
    is.zip(should).foreach { case (a, b) => assert(a === b) }
    kept
  }

  private val small = Seq(
    "count(*)",
    "count(s)",
    "count_if(flag)",
    "sum(i32)",
    "sum(d18)",
    "sum(d38)",
    "sum(y * 1.1D)",
    "sum(x)",
    "avg(i64)",
    "avg(d5)",
    "avg(d38)",
    "avg(f)",
    "try_sum(huge)",
    "min(s)",
    "max(lc)",
    "max(wild)",
    "min(d38)",
    "max(arr)",
    "min_by(st, i32)",
    "max_by(bin, ts)",
    "max_by(s, i32, 2)",
    "first(arr)",
    "first(s, true)",
    "last(lc)",
    "last(day, true)",
    "any_value(ym)",
    "nth(ntz, 3)",
    "nth_value(x, 2)",
    "nth_value(s, 4) IGNORE NULLS",
    "bit_and(i32)",
    "bit_or(i64)",
    "bit_xor(i32)",
    "bool_or(flag)",
    "var_samp(y)",
    "stddev_pop(x)",
    "skewness(y * 1.1D)",
    "kurtosis(y * 1.1D)",
    "corr(x, y)",
    "covar_samp(y, i32)",
    "regr_slope(y, i32)",
    "regr_intercept(y, x)",
    "regr_r2(i32, y)",
    "approx_count_distinct(s)",
    "approx_count_distinct(x, 0.2)",
    "count_min_sketch(i32, 0.3D, 0.5D, 1)",
    "completeness(s)",
    "rate(i32, i32 + 3)",
    "plain_sum(y * 1.1D)",
    "partial(avg(y))",
    "partial(sum(d38))",
    "partial(kurtosis(y))",
    "partial(corr(x, y))",
    "partial(max(lc))",
    "partial(count(i32))",
    "sum(i32) FILTER (WHERE flag)",
    "plain_sum(y * 1.1D) FILTER (WHERE i32 > 0)"
  ).filter(RunningSpark.hasFunctionsOf)

  private def batches(random: Random): Seq[Seq[Row]] =
    Seq.tabulate(120)(i => row(random, i, s"k${random.nextInt(2)}", i + random.nextInt(8).toLong))
      .grouped(25).toSeq :+ Seq(row(random, -1, "end", 1000000L))

  sampledTest("every aggregate with a small state, over all rows until now, stores no rows") {
    val columns = small.zipWithIndex.map { case (f, i) => s"${between(f, "OVER w")} AS `$i $f`" }
    val kept = check(
      s"SELECT id, ${columns.mkString(",\n")} FROM t WINDOW w AS (PARTITION BY k ORDER BY t, id ROWS UNBOUNDED PRECEDING)",
      batches(new Random(1L)),
      Set(2, 3)
    )
    // Only the rows that wait for the watermark.
    assert(kept < 60L)
  }

  private def between(function: String, over: String): String = s"$function $over"

  sampledTest(
    "frames that end before or after their row, peers, ranks, and preceding non-null rows"
  ) {
    val random = new Random(2L)
    check(
      """SELECT id,
        |  sum(y * 1.1D) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 7 SECONDS PRECEDING) AS a,
        |  plain_sum(i32) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 9 SECONDS FOLLOWING) AS b,
        |  max(s) OVER (PARTITION BY k ORDER BY t) AS c,
        |  rank() OVER (PARTITION BY k ORDER BY t) AS d,
        |  dense_rank() OVER (PARTITION BY k ORDER BY t) AS e,
        |  count(x) OVER (PARTITION BY k ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS f,
        |  median(y) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 20 SECONDS PRECEDING AND CURRENT ROW) AS g,
        |  lag(s, 3) IGNORE NULLS OVER (PARTITION BY k ORDER BY t) AS h
        |FROM t""".stripMargin
        // The order of peers is undefined.
        .replaceAll("(?m)^.* AS f,$\n", "").replaceAll(",\\s+lag.* AS h", ""),
      batches(random),
      Set(1, 4)
    ): Unit
    check(
      """SELECT id,
        |  count(x) OVER (PARTITION BY k ORDER BY t, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS f,
        |  lag(s, 3) IGNORE NULLS OVER (PARTITION BY k ORDER BY t, id) AS h,
        |  last(s) OVER (PARTITION BY k ORDER BY t, id ROWS BETWEEN UNBOUNDED PRECEDING AND 4 PRECEDING) AS i,
        |  collect_list(i32) OVER (PARTITION BY k ORDER BY t, id ROWS 3 PRECEDING) AS j
        |FROM t""".stripMargin,
      batches(random),
      Set(1, 4)
    ): Unit
  }

  sampledTest("since: small state is saved; for other state the rows from its start are kept") {
    val closing = "id % 17 = 0"
    val some = Seq(
      "sum(y * 1.1D)",
      "max(lc)",
      "last(arr)",
      "plain_sum(y * 1.1D)",
      "kurtosis(y * 1.1D)",
      "partial(avg(y))",
      "count(DISTINCT s)",
      "collect_list(i32)",
      "median(y)",
      "mode(i32, true)",
      "listagg(s, '-')",
      "percentile_approx(i32, 0.5)",
      "partial(collect_list(s))",
      "collect_list(lc)"
    )
    // Each predicate has a separate window: one of saved functions, one of other functions, one of
    // both.
    val columns =
      Seq(closing, "id % 19 = 0", "id % 23 = 0").zip(Seq(some.take(6), some.drop(6), some))
        .flatMap { case (p, functions) => functions.map(f => s"since($f, $p)") } ++
        some.map(f => s"since($f, id % 7 = 0, 3)") ++
        some.take(6).map(f => s"since($f, id % 19 = 0, closed => 'left')") ++
        some.drop(6).map(f => s"since($f, id % 7 = 0, 3, closed => 'left')")
    check(
      s"SELECT id, ${columns.zipWithIndex.map { case (f, i) => s"$f OVER w AS `$i $f`" }.mkString(",\n")} FROM t " +
        "WINDOW w AS (PARTITION BY k ORDER BY t, id)",
      batches(new Random(3L)),
      Set(2, 4)
    ): Unit
    // A window that never ends, of saved functions: no row is stored.
    val kept = check(
      "SELECT id, since(sum(y), false) OVER (PARTITION BY k ORDER BY t, id) AS r FROM t",
      batches(new Random(4L)),
      Set(2, 4)
    )
    assert(kept < 60L)
  }

  test("functions with growing state are rejected over all rows until now, by their names") {
    for (
      function <- Seq(
        "collect_list(i32)",
        "collect_set(i32)",
        "count(DISTINCT s)",
        "sum(DISTINCT i32)",
        "percentile(y, 0.5)",
        "percentile_approx(i32, 0.5)",
        "mode(i32)",
        "listagg(s)",
        "histogram_numeric(i32, 3)",
        "partial(collect_list(i32))",
        "partial(median(i32))"
      )
    ) {
      val sql =
        s"SELECT sum(i32) OVER w, $function OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY t)"
      val name = function.takeWhile(_ != '(').take(6)
      assert(unbounded(sql)("call").startsWith(name), function)
    }
    // The first such function, and its own frame.
    val w = "OVER (PARTITION BY k ORDER BY t"
    val sql = s"SELECT sum(i32) $w), collect_set(i32) $w ROWS UNBOUNDED PRECEDING), " +
      s"collect_list(s) $w) FROM t"
    val found = unbounded(sql)
    assert(found("frame") === "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
    assert(found("call").startsWith("collect_set("), found)
  }

  private def unbounded(sql: String): Map[String, String] = {
    val error = intercept[AnalysisException] {
      streamed(schema, Nil)(df => asked(sql)(df.withWatermark("t", "1 minute")))
    }
    parametersOf(error, "MUNTIN_UNBOUNDED_STATE_ON_STREAM")
  }

  sampledTest("partials are merged in the same blocks, also if a group starts again") {
    val random = new Random(5L)
    def rows(first: Int, count: Int, from: Long) =
      Seq.tabulate(count)(i => row(random, first + i, "k", from + i))
    def other(seconds: Long) = Seq(row(random, -1, "other", seconds))
    // Frames of 40 rows; after the gaps no state of the group remains.
    val parts = Seq(
      rows(0, 53, 0L),
      other(2000L),
      other(2100L),
      rows(100, 37, 3000L),
      rows(200, 40, 3037L),
      other(5000L),
      other(5100L),
      rows(300, 70, 6000L),
      other(1000000L)
    )
    val frames = Seq(
      "INTERVAL 40 SECONDS PRECEDING AND CURRENT ROW",
      "INTERVAL 25 SECONDS PRECEDING AND INTERVAL 25 SECONDS FOLLOWING",
      "INTERVAL 60 SECONDS PRECEDING AND INTERVAL 20 SECONDS PRECEDING",
      "INTERVAL 5 SECONDS FOLLOWING AND INTERVAL 50 SECONDS FOLLOWING"
    )
    val columns = frames.zipWithIndex.flatMap { case (frame, i) =>
      val over = s"OVER (PARTITION BY k ORDER BY t RANGE BETWEEN $frame)"
      Seq(
        s"plain_sum(y * 1.1D) $over AS a$i",
        s"framed(plain_sum(y * 1.1D), exclude => 'current row') $over AS b$i"
      )
    }
    check(s"SELECT id, ${columns.mkString(",\n")} FROM t", parts, Set(2, 4, 7)): Unit
    // ROWS frames: the group never starts again, and its blocks continue.
    check(
      "SELECT id, plain_sum(y * 1.1D) OVER (PARTITION BY k ORDER BY t ROWS 40 PRECEDING) AS r, " +
        "sliding(plain_sum(y * 1.1D), 30, flag) OVER (PARTITION BY k ORDER BY t) AS s FROM t",
      parts,
      Set(2, 4, 7)
    ): Unit
  }
}

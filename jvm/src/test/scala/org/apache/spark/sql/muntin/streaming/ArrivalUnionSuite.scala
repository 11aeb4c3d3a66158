package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.conf.MuntinConf

/**
 * Windows over windows in the order of arrival: over several operators united by UNION, and over
 * windows in the order of their starts. All emitted results equal the results of a batch.
 */
final class ArrivalUnionSuite extends StreamSession {
  import StreamSession._

  override protected def settings: Map[String, String] =
    super.settings + (MuntinConf.StreamOrder.key -> "arrival")

  /** In order, with ties; the keys have rows in turn, and few are valid for long. */
  private def rows(random: Random, count: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val t = 4 * i / 3 + (if (i > count / 2) 100 else 0)
    Row(s"k${(i / 5 + random.nextInt(2)) % 3}", at(t.toDouble), i, random.nextGaussian() * 1e5)
  }

  private val until =
    "CASE i % 11 WHEN 0 THEN t + INTERVAL 1 MINUTE ELSE t + make_dt_interval(0, 0, 0, i % 20) END"

  private def pieces(where: String = "true"): String =
    s"""SELECT k, w.start AS s, w.end AS e, p, n FROM (
       |  SELECT k, validity(t, $until) AS w, partial(avg(d)) AS p, count(*) AS n
       |  FROM t WHERE $where GROUP BY k, validity(t, $until))""".stripMargin

  private def tens(where: String, size: Int = 10): String =
    s"""SELECT k, w.close AS e, n FROM (SELECT k, field_window(t, $size, $size) AS w, count(*) AS n
       |  FROM t WHERE $where GROUP BY k, field_window(t, $size, $size))""".stripMargin

  private val (even, odd) = ("i % 2 = 0", "i % 2 = 1")
  private val union = s"SELECT * FROM (${pieces(even)} UNION ALL ${pieces(odd)}) AS u"
  private val ahead = "RANGE BETWEEN CURRENT ROW AND INTERVAL"

  private def over(where: String, frame: String): String =
    s"SELECT k, t, i, count(*) OVER (PARTITION BY k ORDER BY t $frame) AS n FROM t WHERE $where"

  private val queries: Seq[(String, String)] = Seq(
    "partials of sources, UNION, merged" ->
      s"""SELECT string(v) AS v, mean FROM (SELECT validity(s, e) AS v, merge_partial(avg(p)) AS mean
         |  FROM (${pieces("k = 'k0'")} UNION ALL ${pieces(
          "k <> 'k0'"
        )}) GROUP BY validity(s, e))""",
    "the same by keys, with filters in between, and windows above" ->
      s"""SELECT k, v, mean, sum(m) OVER (PARTITION BY k ORDER BY e ROWS 2 PRECEDING) AS s FROM (
         |  SELECT k, string(v) AS v, v.end AS e, m, mean FROM (
         |    SELECT k, validity(s, e) AS v, merge_partial(avg(p)) AS mean, sum(n) AS m
         |    FROM ($union WHERE n < 9) WHERE n < 8 GROUP BY k, validity(s, e)) WHERE m > 1)""",
    "windows of other sizes and keys by their ends" ->
      s"""SELECT *, sum(n) OVER (ORDER BY e $ahead 15 SECONDS FOLLOWING) AS s FROM (
         |  ${tens(even)} UNION ALL ${tens(odd, 25)} UNION ALL
         |  SELECT 'all', w.close, n FROM (SELECT field_window(t, 15, 5) AS w, count(*) AS n FROM t
         |    GROUP BY field_window(t, 15, 5)))""",
    "OVER that looks ahead, as far on one side as not on the other" ->
      s"""SELECT *, count(*) OVER (PARTITION BY i % 3 ORDER BY t RANGE INTERVAL 9 SECONDS PRECEDING)
         |  AS m FROM (${over(even, s"$ahead 30 SECONDS FOLLOWING")} UNION ALL
         |  ${over(odd, s"$ahead 5 SECONDS FOLLOWING")} UNION ALL
         |  ${over("i % 5 = 0", "ROWS 2 PRECEDING")})""",
    "windows and OVER by their times, in ticks" ->
      s"""SELECT string(w) AS w, n FROM (SELECT ticks(e, 'minutely') AS w, sum(n) AS n FROM (
         |  SELECT k, e, n FROM ($union) UNION ALL
         |  SELECT k, t, n FROM (${over(odd, s"$ahead 40 SECONDS FOLLOWING")}))
         |  GROUP BY ticks(e, 'minutely'))""",
    "OVER by other keys, in the order of beginnings" ->
      s"""SELECT k, s, e, n, count(*) OVER (PARTITION BY n % 2 ORDER BY s $ahead 20 SECONDS FOLLOWING)
         |  AS m FROM (${pieces()})""",
    "validity of no key over pieces by key" ->
      s"""SELECT string(v) AS v, m FROM (SELECT validity(s, e) AS v, sum(n) AS m FROM (${pieces()})
         |  GROUP BY validity(s, e))""",
    "UNION of such UNIONs" ->
      s"""SELECT string(u) AS u, m FROM (SELECT validity(v.start, v.end) AS u, sum(m) AS m FROM (
         |  SELECT validity(s, e) AS v, sum(n) AS m FROM (${pieces(even)}) GROUP BY validity(s, e)
         |  UNION ALL
         |  SELECT validity(s, e) AS v, sum(n) AS m FROM ($union) GROUP BY validity(s, e))
         |  GROUP BY validity(v.start, v.end))"""
  ).map { case (name, sql) => name -> sql.stripMargin }

  for (((name, sql), seed) <- queries.zipWithIndex) sampledTest(s"$name: as a batch, run by run") {
    val random = new Random(seed.toLong)
    val all = rows(random, 90)
    // No piece is lost, since the source is in order.
    withConf(MuntinConf.StreamOutOfOrder.key -> (if (seed % 2 == 0) "drop" else "error")) {
      val (early, last) =
        drained(Readings, cut(random, all, 20, 15), drain = true)(asked(sql)(_))
      assert(early.nonEmpty, "nothing was emitted before the last run")
      assert(shown(early ++ last) === shown(asked(sql)(table(Readings, all)).collect().toSeq))
    }
  }

  sampledTest("one row after the other, over restarts: emitted as soon as each side has passed") {
    // Each row is the second of its start, and its duration.
    val one = Seq(("a", 0L, 10), ("b", 3L, 4), ("b", 20L, 10), ("a", 40L, 1), ("b", 60L, 1))
      .map { case (k, t, length) => Seq(Row(k, at(t), length, 1.0)) }
    val merged =
      s"""SELECT unix_seconds(v.start) % 100 AS s, n FROM (
         |  SELECT validity(s, e) AS v, sum(n) AS n FROM (
         |    ${pieces("k = 'a'")} UNION ALL ${pieces("k = 'b'")}) GROUP BY validity(s, e))"""
        .stripMargin.replace(until, "t + make_dt_interval(0, 0, 0, i)")
    val found = streamed(Readings, one, restarts = Set(2, 4))(asked(merged)(_))
      .map(_.map(r => (r.getLong(0), r.getLong(1))).toList)
    val zero = at(0L).getTime / 1000L % 100L
    def pieced(starts: (Long, Long)*) = starts.map { case (s, n) => ((zero + s) % 100L, n) }.toList
    assert(found.take(3).flatten === Nil)
    assert(found(3) ++ found(4) === pieced((0L, 1L), (3L, 2L), (7L, 1L), (20L, 1L)))
  }

  test("if each row is emitted in its own micro-batch, UNION does not need a bound") {
    val all = rows(new Random(9L), 40)
    val sql =
      s"""SELECT *, sum(n) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 9 SECONDS PRECEDING) AS s
         |FROM (${over(even, "ROWS 2 PRECEDING")} UNION ALL SELECT k, t, i, 1L FROM t WHERE $odd)"""
        .stripMargin
    val batches = all.grouped(7).toSeq
    val found = streamed(Readings, batches, Set(2))(asked(sql)(_))
    assert(found.take(batches.size).map(_.size) === batches.map(_.size))
  }

  test("a UNION whose parts are not in one order is rejected") {
    val sum = "SELECT sum(n) OVER (ORDER BY s) AS s FROM"
    Seq(
      s"$sum (SELECT s, n FROM (${pieces()}) UNION ALL SELECT t, 1L FROM t)",
      s"$sum (SELECT e AS s, n FROM (${tens(even)}) UNION ALL SELECT w.open, n FROM (SELECT " +
        "field_window(t, 10, 10) AS w, count(*) AS n FROM t GROUP BY field_window(t, 10, 10)))",
      s"SELECT field_window(s, 10, 10), count(*) FROM (SELECT t AS s FROM (SELECT t, max(i) OVER " +
        s"(PARTITION BY k ORDER BY t $ahead 9 SECONDS FOLLOWING) AS n FROM t) WHERE n > 3 " +
        "UNION ALL SELECT t FROM t) GROUP BY field_window(s, 10, 10)"
    ).foreach { sql =>
      assertRefused("MUNTIN_UNION_NOT_IN_ORDER")(asked(sql)(new Source(Readings).rows))
    }
  }

  sampledTest("out-of-order rows of upstream windows are not dropped") {
    val sql =
      """SELECT *, sum(n) OVER (ORDER BY w.start) AS s FROM (SELECT sessions(t, '10 seconds') AS w,
        |  k, count(*) AS n FROM t GROUP BY k, sessions(t, '10 seconds'))""".stripMargin
    val keys = Seq(("a", 0L), ("b", 4L), ("a", 8L), ("a", 16L), ("b", 40L), ("a", 80L))
    withConf(MuntinConf.StreamOutOfOrder.key -> "drop") {
      val error = intercept[Exception] {
        streamed(Readings, keys.map { case (k, t) => Seq(Row(k, at(t), 1, 1.0)) })(asked(sql)(_))
      }
      assertCondition(error, "MUNTIN_UPSTREAM_RESULT_OUT_OF_ORDER", "function" -> "OVER")
    }
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row

/**
 * Windows over the pieces of validity in the order in which the pieces begin, with a watermark: the
 * bound is that of the pieces that are open.
 */
final class StartOrderSuite extends StreamSession {
  import StreamSession._

  /** Out of order by less than half a minute, with ties; few are valid for long. */
  private def rows(random: Random, count: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val t = 3 * i + random.nextInt(25) + (if (i > count / 2) 200 else 0)
    Row(
      s"k${random.nextInt(3)}",
      at(if (random.nextInt(4) == 0) t / 10 * 10.0 else t.toDouble),
      i,
      random.nextGaussian() * 1e5
    )
  }

  private val until =
    "CASE i % 11 WHEN 0 THEN t + INTERVAL 3 MINUTES ELSE t + make_dt_interval(0, 0, 0, i % 40) END"

  private def pieces(more: String = "", where: String = "true"): String =
    s"""(SELECT k, w.start AS s, w.end AS e, p, total, top FROM (
       |  SELECT k, validity(t, $until$more) AS w, partial(avg(d)) AS p, sum(d) AS total,
       |    max(i) AS top
       |  FROM t WHERE $where GROUP BY k, validity(t, $until$more)))""".stripMargin

  private def mergedBy(key: String, window: String = "validity(s, e)", of: String = ""): String = {
    val union =
      if (of.nonEmpty) of
      else
        s"SELECT * FROM ${pieces(where = "i % 2 = 0")} AS a UNION ALL " +
          s"SELECT * FROM ${pieces(where = "i % 2 = 1")} AS b"
    s"""SELECT key, string(v) AS v, mean, n FROM (
       |  SELECT $key AS key, $window AS v, merge_partial(avg(p)) AS mean, merge_partial(count(p)) AS n
       |  FROM ($union) GROUP BY $key, $window)""".stripMargin
  }

  private val back = "RANGE BETWEEN INTERVAL 40 SECONDS PRECEDING"

  private val queries: Seq[(String, String)] = Seq(
    "PARTIAL per source, UNION, merge" -> mergedBy("e IS NULL"),
    "PARTIAL per source, UNION, merge, by the same keys" -> mergedBy("k"),
    "OVER by the start" ->
      s"""SELECT k, s, e, total, sum(total) OVER (PARTITION BY k ORDER BY s
         |  $back AND INTERVAL 20 SECONDS FOLLOWING) AS n FROM ${pieces()}""",
    "OVER, then OVER of other keys, then OVER of the first" ->
      s"""SELECT *, max(high) OVER (PARTITION BY k ORDER BY s ROWS 2 PRECEDING) AS last FROM (
         |  SELECT *, max(n) OVER (PARTITION BY top % 3 ORDER BY s $back AND CURRENT ROW) AS high
         |  FROM (SELECT k, s, top, count(*) OVER (PARTITION BY k, top % 2 ORDER BY s
         |    $back AND INTERVAL 20 SECONDS FOLLOWING) AS n FROM ${pieces()}))""",
    "field_window" -> mergedBy("k", "field_window(s, 30, 10)", s"SELECT * FROM ${pieces()}"),
    "ticks" -> mergedBy("k", "ticks(s, 'minutely')", s"SELECT * FROM ${pieces()}"),
    "pieces of pieces, cut at every so many-th row, then OVER by their end" ->
      s"""SELECT string(v) AS v, n, sum(n) OVER (PARTITION BY n % 2 ORDER BY v.end
         |  ROWS 3 PRECEDING) AS s FROM (SELECT validity(s, e, dump_at => 3) AS v, count(*) AS n
         |  FROM ${pieces(", dump_at => 4")} GROUP BY k, validity(s, e, dump_at => 3))""",
    "pieces of pieces of pieces" ->
      s"""SELECT string(u) AS u, n FROM (SELECT validity(v.start, v.end) AS u, sum(n) AS n FROM (
         |  SELECT validity(s, e) AS v, count(*) AS n FROM ${pieces()} GROUP BY k, validity(s, e))
         |  GROUP BY validity(v.start, v.end))""",
    "pieces beside rows one by one" ->
      s"""SELECT s, k, count(*) OVER (PARTITION BY k ORDER BY s $back AND CURRENT ROW) AS n FROM (
         |  SELECT w.start AS s, k FROM (SELECT k, validity(t, t, emit => 'element') AS w,
         |    count(*) FROM t GROUP BY k, validity(t, t, emit => 'element'))
         |  UNION ALL SELECT s, k FROM ${pieces()})"""
  ).map { case (name, sql) => name -> sql.stripMargin }

  for (((name, sql), seed) <- queries.zipWithIndex) test(s"$name: as a batch, run by run") {
    val random = new Random(seed.toLong)
    val all = rows(random, 80)
    val query = asked(sql)(_)
    val (early, last) = drained(Readings, cut(random, all, 25, 15), drain = true) { df =>
      query(df.withWatermark("t", "25 seconds"))
    }
    assert(early.nonEmpty, "nothing came out on the way")
    assert(shown(early ++ last) === shown(query(table(Readings, all)).collect().toSeq))
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.Trigger

/**
 * Windows over the pieces of validity in the order of the pieces' starts, with a watermark: the
 * bound is the start of the oldest open piece.
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
    "pieces of pieces, cut at every n-th row, then OVER by their end" ->
      s"""SELECT string(v) AS v, n, sum(n) OVER (PARTITION BY n % 2 ORDER BY v.end
         |  ROWS 3 PRECEDING) AS s FROM (SELECT validity(s, e, dump_at => 3) AS v, count(*) AS n
         |  FROM ${pieces(", dump_at => 4")} GROUP BY k, validity(s, e, dump_at => 3))""",
    "pieces of pieces of pieces" ->
      s"""SELECT string(u) AS u, n FROM (SELECT validity(v.start, v.end) AS u, sum(n) AS n FROM (
         |  SELECT validity(s, e) AS v, count(*) AS n FROM ${pieces()} GROUP BY k, validity(s, e))
         |  GROUP BY validity(v.start, v.end))""",
    "pieces and rows one by one" ->
      s"""SELECT s, k, count(*) OVER (PARTITION BY k ORDER BY s $back AND CURRENT ROW) AS n FROM (
         |  SELECT w.start AS s, k FROM (SELECT k, validity(t, t, emit => 'element') AS w,
         |    count(*) FROM t GROUP BY k, validity(t, t, emit => 'element'))
         |  UNION ALL SELECT s, k FROM ${pieces()})"""
  ).map { case (name, sql) => name -> sql.stripMargin }

  for (((name, sql), seed) <- queries.zipWithIndex) sampledTest(s"$name: as a batch, run by run") {
    val random = new Random(seed.toLong)
    val all = rows(random, 80)
    val query = asked(sql)(_)
    val (early, last) = drained(Readings, cut(random, all, 25, 15), drain = true) { df =>
      query(df.withWatermark("t", "25 seconds"))
    }
    assert(early.nonEmpty, "no row was emitted before the end")
    assert(shown(early ++ last) === shown(query(table(Readings, all)).collect().toSeq))
  }

  private val two =
    s"""SELECT v.start, v.end, n FROM (SELECT validity(s, e) AS v, merge_partial(count(p)) AS n FROM (
       |  SELECT s, e, p FROM ${pieces(where = "k = 'a'")}
       |  UNION ALL SELECT s, e, p FROM ${pieces(where = "k = 'b'")}) GROUP BY validity(s, e))
       |""".stripMargin.replace(until, "t + make_dt_interval(0, 0, 0, i)")

  private def second(time: java.sql.Timestamp): Long = (time.getTime - at(0L).getTime) / 1000L

  private def shownBySeconds(rows: Seq[Row]): Seq[String] = rows.map { r =>
    s"${second(r.getTimestamp(0))}-${second(r.getTimestamp(1))}: ${r.getLong(2)}"
  }.sorted

  // Each row is the second of its start, and its duration.
  private val one = Seq(("a", 0L, 20), ("b", 5L, 2), ("b", 12L, 3), ("a", 20L, 4), ("b", 30L, 1))

  sampledTest("one row after the other: time is held back to the oldest open piece") {
    val batches = one.map { case (k, t, length) => Seq(Row(k, at(t), length, 1.0)) }
    val found = streamed(Readings, batches, restarts = Set(2, 4)) { df =>
      asked(two)(df.withWatermark("t", "0 seconds"))
    }.map(shownBySeconds)
    // b's pieces are over at 7 and 15, but a's piece of 0 is open until 20.
    val all = Seq("0-5: 1", "12-15: 2", "15-20: 1", "20-24: 1", "5-7: 2", "7-12: 1")
    assert(found.take(3).flatten === Nil)
    assert(found(3) === Seq("0-5: 1", "12-15: 2", "15-20: 1", "5-7: 2", "7-12: 1"))
    assert(found.flatten.sorted === all)
  }

  sampledTest("killed before a micro-batch is committed: it emits equal rows again") {
    val source = new Source(Readings)
    val checkpoint = temporary()
    val all = rows(new Random(21L), 60)
    val query = asked(queries.head._2)(_)
    val answers = new Answers(checkpoint)
    def run(fails: Long => Boolean): Unit =
      answers.start(
        query(source.rows.withWatermark("t", "25 seconds")),
        Trigger.AvailableNow(),
        fails
      ).awaitTermination()
    var found = Seq.empty[Row]
    var number = -1L
    all.grouped(20).foreach { rows =>
      source.add(rows)
      Seq(1L, 2L).map(_ + number).foreach { batch =>
        intercept[Exception](run(_ == batch))
        val (_, killed) = answers.last
        val again = new Answers(checkpoint)
        intercept[Exception](again.start(
          query(source.rows.withWatermark("t", "25 seconds")),
          Trigger.AvailableNow(),
          _ == batch
        ).awaitTermination())
        assert(again.last === ((batch, killed)))
      }
      run(_ => false)
      number = answers.last._1
      found ++= answers.next()
    }
    val expected = shown(query(table(Readings, all)).collect().toSeq)
    assert(found.size > 20)
    assert(shown(found).forall(expected.contains))
  }

  private def stream = spark.readStream.format("rate").load()
    .selectExpr("timestamp AS t", "string(value % 3) AS k", "int(value) AS i", "double(value) AS d")
    .withWatermark("t", "1 minute")

  private def refused(condition: String, sql: String): Unit =
    assertRefused(condition)(asked(sql)(stream))

  test("start times in a UNION with other times, and other times after an order by start times") {
    refused(
      "MUNTIN_UPSTREAM_NOT_IN_ORDER",
      s"SELECT count(*) OVER (ORDER BY s) FROM (SELECT s FROM ${pieces()} UNION ALL SELECT t FROM t)"
    )
    val over = s"SELECT s, e, count(*) OVER (ORDER BY s) AS n FROM ${pieces()}"
    refused(
      "MUNTIN_UPSTREAM_NOT_IN_ORDER",
      s"SELECT count(*) OVER (PARTITION BY n ORDER BY e) FROM ($over)"
    )
    refused(
      "MUNTIN_ROWS_LAG_WATERMARK",
      s"SELECT window.end, count(*) FROM ($over) GROUP BY window(e, '1 minute')"
    )
  }
}

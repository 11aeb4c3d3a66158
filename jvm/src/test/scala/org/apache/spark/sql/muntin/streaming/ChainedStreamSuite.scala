package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row

/** Windows over windows of a stream: at the end the results equal a batch. */
final class ChainedStreamSuite extends StreamSession {
  import StreamSession._

  /** Out of order by less than half a minute, with ties. */
  private def rows(random: Random, count: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val t = 3 * i + random.nextInt(25) + (if (i > count / 2) 200 else 0)
    Row(
      s"k${random.nextInt(2)}",
      at(if (random.nextInt(4) == 0) t / 10 * 10.0 else t.toDouble),
      i,
      random.nextGaussian() * 1e5
    )
  }

  private def windows(window: String): String =
    s"(SELECT k, $window AS w, sum(d) AS total, max(i) AS top FROM t GROUP BY k, $window) AS small"

  private val pieces = "validity(t, t + make_dt_interval(0, 0, 0, 1 + i % 40))"

  private val queries: Seq[(String, String)] = Seq(
    "since(yearly()), then mean(): ticks, then OVER" ->
      s"""SELECT k, w.end, total, avg(total) OVER (PARTITION BY k ORDER BY w.end) AS mean
         |FROM ${windows("ticks(t, 'minutely')")}""",
    "field_window, then OVER" ->
      s"""SELECT *, sum(total) OVER (PARTITION BY k ORDER BY close RANGE BETWEEN
         |  INTERVAL 40 SECONDS PRECEDING AND INTERVAL 40 SECONDS FOLLOWING) AS three
         |FROM (SELECT k, w.open, w.close AS close, total
         |  FROM ${windows("field_window(t, 30, 10)")})""",
    "field_window with running results, then OVER by their times" ->
      s"""SELECT k, w.emit, count(*) OVER (PARTITION BY k ORDER BY w.emit ROWS 3 PRECEDING) AS n
         |FROM ${windows("field_window(t, 30, 30, every => 10)")}""",
    "field_window, then windows of windows" ->
      s"""SELECT k, string(v) AS v, n, high FROM (SELECT k, field_window(w.close, 120, 60) AS v,
         |    count(*) AS n, max(total) AS high
         |  FROM ${windows(
          "field_window(t, 30, 10)"
        )} GROUP BY k, field_window(w.close, 120, 60))""",
    "ticks, then ticks" ->
      s"""SELECT string(v) AS v, highest FROM (SELECT ticks(w.end, '*/5 * * * *') AS v,
         |    max(total) AS highest
         |  FROM ${windows("ticks(t, 'minutely')")} GROUP BY ticks(w.end, '*/5 * * * *'))""",
    "ticks, then ticks, then OVER" ->
      s"""SELECT string(v) AS v, sum(highest) OVER (ORDER BY v.end ROWS 2 PRECEDING) AS s FROM (
         |  SELECT ticks(w.end, '*/5 * * * *') AS v, max(total) AS highest
         |  FROM ${windows("ticks(t, 'minutely')")} GROUP BY ticks(w.end, '*/5 * * * *'))""",
    "ticks, then ticks, of WITH" ->
      s"""WITH small AS (SELECT k, ticks(t, 'minutely') AS w, sum(d) AS total FROM t
         |    GROUP BY k, ticks(t, 'minutely'))
         |SELECT string(v) AS v, highest FROM (SELECT ticks(w.end, '*/5 * * * *') AS v,
         |    max(total) AS highest FROM small GROUP BY ticks(w.end, '*/5 * * * *'))""",
    "validity, then OVER by its end" ->
      s"""SELECT k, string(w) AS w, total, max(total) OVER (PARTITION BY k ORDER BY w.end
         |  ROWS 2 PRECEDING) AS high FROM ${windows(pieces)}""",
    "validity, then field_window" ->
      s"""SELECT string(v) AS v, n FROM (SELECT field_window(w.end, 60, 60) AS v, count(*) AS n
         |  FROM ${windows(pieces)} GROUP BY field_window(w.end, 60, 60))""",
    "validity by element, then OVER" ->
      s"""SELECT k, w.start, total, sum(total) OVER (PARTITION BY k ORDER BY w.start RANGE
         |  INTERVAL 20 SECONDS PRECEDING) AS s
         |FROM (SELECT k, validity(t, t + INTERVAL 20 SECONDS, emit => 'element') AS w,
         |    sum(d) AS total
         |  FROM t GROUP BY k, validity(t, t + INTERVAL 20 SECONDS, emit => 'element'))""",
    "ticks, then OVER, then OVER of other keys" ->
      s"""SELECT *, count(*) OVER (PARTITION BY top % 3 ORDER BY at ROWS 3 PRECEDING) AS n FROM (
         |  SELECT k, w.end AS at, top, avg(total) OVER (PARTITION BY k ORDER BY w.end RANGE
         |    INTERVAL 2 MINUTES PRECEDING) AS mean
         |  FROM ${windows("ticks(t, 'minutely', span => 2)")})"""
  ).map { case (name, sql) => name -> sql.stripMargin }

  for (((name, sql), seed) <- queries.zipWithIndex) sampledTest(name) {
    val random = new Random(seed.toLong)
    val all = rows(random, 90)
    val query = asked(sql)(_)
    val (early, last) = drained(Readings, cut(random, all, 25, 20), drain = true) { df =>
      query(df.withWatermark("t", "25 seconds"))
    }
    assert(early.nonEmpty, "no row was emitted before the end")
    assert(shown(early ++ last) === shown(query(table(Readings, all)).collect().toSeq))
  }

  private val ofSpark = Seq(
    "windows by Spark's window_time of them, which is in the window" ->
      s"""SELECT k, string(w) AS w, at, at < w.end AS isIn, n,
         |  sum(n) OVER (PARTITION BY k ORDER BY at) AS soFar
         |FROM (SELECT k, w, window_time(w) AS at, top AS n FROM ${windows(pieces)})""",
    "windows of windows by window_time, and Spark's window of these" ->
      s"""SELECT string(window) AS w, sum(n) AS n FROM (
         |  SELECT field_window(window_time(w), 10, 10) AS v, count(*) AS n
         |  FROM ${windows("field_window(t, 5, 5)")} GROUP BY field_window(window_time(w), 10, 10)
         |) GROUP BY window(window_time(v), '30 seconds')""",
    "field_window, and Spark's window of its column" ->
      s"""SELECT k, window.start, max(total) AS high, count(*) AS n
         |FROM ${windows("field_window(t, 10, 10)")} GROUP BY k, window(w, '1 minute')""",
    "Spark's window, then OVER by window_time" ->
      """SELECT k, at, n, sum(n) OVER (PARTITION BY k ORDER BY at ROWS 2 PRECEDING) AS three
        |FROM (SELECT k, window_time(window) AS at, n FROM (
        |  SELECT k, window, count(*) AS n FROM t GROUP BY k, window(t, '30 seconds')))""",
    "tumble and hop, then windows of windows by their end and by window_time" ->
      s"""SELECT string(v) AS v, n FROM (SELECT hop(w.end, '20 seconds', '50 seconds') AS v,
         |    count(*) AS n FROM ${windows("tumble(t, '5 seconds')")}
         |  GROUP BY hop(w.end, '20 seconds', '50 seconds'))
         |UNION ALL SELECT string(v), n FROM (SELECT tumble(window_time(w), '10 seconds') AS v,
         |    count(*) AS n FROM ${windows("hop(t, '5 seconds', '10 seconds')")}
         |  GROUP BY tumble(window_time(w), '10 seconds'))""",
    "field_window, then Spark's window" ->
      s"""SELECT k, window.start, max(total) AS high, count(*) AS n
         |FROM (SELECT k, w.close AS at, total FROM ${windows("field_window(t, 10, 10)")})
         |GROUP BY k, window(at, '1 minute')"""
  )

  for ((name, sql) <- ofSpark) sampledTest(name) {
    val all = rows(new Random(3L), 60)
    val query = asked(sql.stripMargin)(_)
    val last = Seq(Row("end", at(1000000L), -1, 0.0))
    // The second row arrives when the first has advanced the watermark.
    val found = streamed(Readings, cut(new Random(1L), all, 20, 20) ++ Seq(last, last)) { df =>
      query(df.withWatermark("t", "25 seconds"))
    }.flatten
    assert(found.size > 4)
    assert(shown(found) === shown(query(table(Readings, all)).collect().toSeq))
  }

  private def stream = spark.readStream.format("rate").load()
    .selectExpr("timestamp AS t", "value % 3 AS k", "value AS x").withWatermark("t", "1 minute")

  test("a time of windows that lacks the watermark is rejected") {
    assertRefused("MUNTIN_NOT_A_TIME_OF_WINDOWS", "time" -> "w.open", "times" -> "w.close")(asked(
      "SELECT sum(n) OVER (ORDER BY w.open) FROM (SELECT field_window(t, 30, 30) AS w, " +
        "count(*) AS n FROM t GROUP BY field_window(t, 30, 30))"
    )(stream))
    assertRefused("MUNTIN_NOT_A_TIME_OF_WINDOWS", "times" -> "w.end or w.start")(asked(
      "SELECT sum(n) OVER (ORDER BY s) FROM (SELECT DISTINCT w.start AS s, n FROM (SELECT " +
        "validity(t, t) AS w, count(*) AS n FROM t GROUP BY validity(t, t)))"
    )(stream))
    assertRefused("MUNTIN_WINDOWS_WITHOUT_END")(asked(
      "SELECT sum(n) OVER (ORDER BY w.open) FROM (SELECT field_window(t, every => 30) AS w, " +
        "count(*) AS n FROM t GROUP BY field_window(t, every => 30))"
    )(stream))
  }

  test("the mark of another query's watermark, in the schema of files, is not a watermark") {
    val folder = temporary().resolve("w").toString
    val marked = table(Readings, rows(new Random(1L), 5)).withWatermark("t", "1 minute")
    val schema = stream.select("t").schema.add("x", "long")
    marked.selectExpr("t", "bigint(i) AS x").write.parquet(folder)
    assertRefused("MUNTIN_MISSING_WATERMARK", "time" -> "t") {
      asked("SELECT sum(x) OVER (ORDER BY t) FROM t")(
        spark.readStream.schema(schema).parquet(folder)
      )
    }
  }

  test("a second watermark over windows would wait for itself") {
    val windows = asked(
      "SELECT w.open AS at, n FROM (SELECT field_window(t, 30, 30) AS w, count(*) AS n FROM t " +
        "GROUP BY field_window(t, 30, 30))"
    )(stream)
    assertRefused(
      "MUNTIN_WATERMARK_OVER_GROUP_WINDOWS",
      "eventTime" -> "at",
      "times" -> "w.close"
    )(windows.withWatermark("at", "1 minute").writeStream.format("noop").start())
  }
}

package org.apache.spark.sql.muntin.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import scala.jdk.StreamConverters._
import scala.util.{Random, Try}

import io.muntin.Muntin
import org.apache.spark.sql.{AnalysisException, DataFrame => AnyFrame, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.Repeats
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/**
 * Every window that waits for rows below every operator that uses time: a stream emits the results
 * of a batch, or the query is rejected.
 */
final class HeldBackSuite extends StreamSession {
  import StreamSession._

  /** Three groups, one of them quiet for long, with ties; at most `spread` seconds out of order. */
  private def rows(random: Random, count: Int, spread: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val t = 3 * i + random.nextInt(spread + 1) + (if (i > count / 2) 100 else 0)
    val key = if (i % 17 == 3) "k2" else s"k${random.nextInt(2)}"
    val value = if (random.nextInt(4) == 0) null else random.nextGaussian() * 1e4
    Row(key, at(t.toLong), i, value)
  }

  private val ofGroup = "PARTITION BY k ORDER BY t, i"

  /** Windows that wait for rows: the value `v`, and the time `u` of the next row. */
  private val waiting: Seq[(String, String)] = Seq(
    "lead" -> s"lead(i) OVER ($ofGroup)",
    "lead in one group" -> "lead(i, 2, -1) OVER (ORDER BY t, i)",
    "lead IGNORE NULLS" -> s"lead(d) IGNORE NULLS OVER ($ofGroup)",
    "ROWS … FOLLOWING" ->
      s"sum(i) OVER ($ofGroup ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING)",
    "GROUPS … FOLLOWING" ->
      "sum(i) OVER (PARTITION BY k ORDER BY t GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING)",
    "framed, complete" ->
      s"framed(sum(i), complete => true) OVER ($ofGroup ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)",
    "fill('next')" -> "fill(d, 'next') OVER (PARTITION BY k ORDER BY t)",
    "lead over RANGE … FOLLOWING of other keys" ->
      s"lead(n) OVER ($ofGroup)",
    "lead over lead of other keys" -> s"lead(m) OVER ($ofGroup)"
  )

  private def below(v: String): String = {
    val inner =
      "SELECT *, count(*) OVER (PARTITION BY i % 2 ORDER BY t RANGE BETWEEN CURRENT ROW " +
        "AND INTERVAL 9 SECONDS FOLLOWING) AS n FROM t"
    val other = "SELECT *, lead(i) OVER (PARTITION BY i % 2 ORDER BY t, i) AS m FROM t"
    val from = if (v.contains("(n)")) s"($inner)" else if (v.contains("(m)")) s"($other)" else "t"
    s"(SELECT k, t, i, $v AS v, lead(t) OVER ($ofGroup) AS u FROM $from)"
  }

  private val back = "RANGE BETWEEN INTERVAL 20 SECONDS PRECEDING"

  private def grouped(window: String, key: String = "k", where: String = "true"): String =
    s"SELECT $key, ${window.takeWhile(_ != '(')} AS w, sum(v), count(*) AS n, max(i) AS top " +
      s"FROM W WHERE $where GROUP BY $key, $window"

  /** The operators that use the time of the rows `W`. */
  private val above: Seq[(String, String)] = Seq(
    "field_window" -> grouped("field_window(t, 10, 5)"),
    "field_window of other keys" -> grouped("field_window(t, 10, 10)", "v IS NULL"),
    "validity" -> grouped("validity(t, u)", where = "u IS NOT NULL"),
    "validity of other keys" -> grouped("validity(t, u, dump_at => 3)", "i % 2", "u IS NOT NULL"),
    "validity by element" ->
      grouped("validity(t, t + INTERVAL 9 SECONDS, emit => 'element')", "'all'")
        .replace("sum(v), ", "").replace(", max(i) AS top", ""),
    "ticks" -> grouped("ticks(t, 'minutely')", "'all'"),
    "sessions" -> grouped("sessions(t, INTERVAL 5 SECONDS)", "k, i % 2"),
    "OVER" ->
      s"SELECT *, sum(v) OVER (PARTITION BY i % 3 ORDER BY t $back AND CURRENT ROW) AS s FROM W",
    "OVER that waits, too" -> "SELECT *, lead(v) OVER (PARTITION BY i % 3 ORDER BY t, i) AS s FROM W",
    "OVER, then OVER, then field_window" ->
      s"""SELECT field_window AS w, sum(r), count(*) FROM (
         |  SELECT *, count(s) OVER (PARTITION BY v IS NULL ORDER BY t $back AND
         |    INTERVAL 5 SECONDS FOLLOWING) AS r FROM (
         |    SELECT *, lag(v) OVER (PARTITION BY i % 3 ORDER BY t, i) AS s FROM W))
         |GROUP BY field_window(t, 20, 20)""",
    "field_window, then OVER by its end" ->
      s"""SELECT *, sum(n) OVER (ORDER BY w.close $back AND CURRENT ROW) AS s
         |FROM (${grouped("field_window(t, 10, 10)")})""",
    "validity, then validity by its start" ->
      s"""SELECT validity AS w, sum(n) FROM (SELECT w.start AS a, w.end AS b, n FROM
         |  (${grouped("validity(t, u)", where = "u IS NOT NULL")})) GROUP BY validity(a, b)""",
    "UNION of two, a join with a table, a filter" ->
      s"""SELECT field_window AS w, k, count(*), max(i) FROM (
         |  SELECT k, t, i FROM W WHERE i % 5 <> 1 UNION ALL
         |  SELECT k, t, i FROM W JOIN (SELECT 'k1' AS one) ON k = one)
         |GROUP BY k, field_window(t, 15, 15)""",
    "resample" ->
      """SELECT * FROM resample(TABLE(SELECT k, t, v FROM W), 't', '10 seconds',
        |  by => 'k', aggregates => 'count(v) AS n')"""
  ).map { case (name, sql) => name -> sql.stripMargin }

  private val sides = "aggregates => 'count(*) AS n, max(y) AS top', time => 'at'"
  private val plain = "TABLE(SELECT k AS key, t AS at, i AS y FROM t)"
  private val held = "TABLE(SELECT k AS key, t AS at, i AS y, v FROM W)"
  private val after = "start => 't - INTERVAL 6 SECONDS', end => 't', " +
    "obsolete => 't - INTERVAL 6 SECONDS'"

  /** The sides of window_by, only in the order of time. */
  private val anchored: Seq[(String, String)] = Seq(
    "window_by, in the source" ->
      s"SELECT * FROM window_by($held, TABLE(SELECT t, i FROM t WHERE i % 3 = 0), $sides, $after)",
    "window_by, in the anchors, until the next row" ->
      s"""SELECT * FROM window_by($plain, TABLE(SELECT * FROM W WHERE u IS NOT NULL), $sides,
         |  start => 't', end => 'u', on => 'key = k', obsolete => 't', closed => 'left')""",
    "window_by, in both, without obsolete, in the order of the anchors" ->
      s"""SELECT * FROM window_by($held, TABLE(SELECT * FROM W WHERE i % 2 = 0), $sides,
         |  start => 't - INTERVAL 3 SECONDS', end => 't + INTERVAL 3 SECONDS', on => 'key = k',
         |  ordered => true)""",
    "window_by with a table of anchors" ->
      s"""SELECT * FROM window_by($held, TABLE(SELECT timestamp_seconds(1704067200 + id * 25) AS t
         |  FROM range(12)), $sides, $after)""",
    "asof, in the right side" ->
      """SELECT a.t, a.i, b.at FROM t AS a LEFT JOIN (SELECT k, t AS at FROM W) AS b
        |  ON a.k = b.k AND asof(a.t, b.at, tolerance => '20 seconds')""",
    "asof, in the left side" ->
      """SELECT a.t, a.v, b.t AS at FROM W AS a LEFT JOIN (SELECT t FROM t WHERE i % 3 = 1) AS b
        |  ON asof(a.t, b.t, tolerance => '20 seconds')""",
    "window_by, then OVER and field_window by the anchors" ->
      s"""SELECT field_window AS w, sum(s), count(*) FROM (
         |  SELECT t, sum(n) OVER (ORDER BY t RANGE INTERVAL 9 SECONDS PRECEDING) AS s FROM window_by(
         |    $held, TABLE(SELECT t, i FROM t WHERE i % 3 = 0), $sides, $after))
         |GROUP BY field_window(t, 15, 15)"""
  ).map { case (name, sql) => name -> sql.stripMargin }

  /** All queries as one query, each row with the name of its query. */
  private def together(v: String, queries: Seq[(String, String)]): String = queries.map {
    case (name, sql) =>
      val asked = sql.replaceAll("\\bW\\b", below(v).replace("$", "\\$"))
      s"""SELECT "$name" AS name, to_json(struct(*)) AS row FROM ($asked)"""
  }.mkString("\nUNION ALL\n")

  private def byName(rows: Seq[Row]): Map[String, Seq[String]] =
    rows.groupBy(_.getString(0)).map { case (name, found) =>
      name -> found.map(_.getString(1)).sorted
    }

  private def check(v: String, all: Seq[Row], queries: Seq[(String, String)], seed: Int): Unit = {
    val random = new Random(seed.toLong)
    def query(rows: DataFrame) = {
      val sql = together(v, queries)
      // A batch requires the order of anchors.
      asked(if (rows.isStreaming) sql else sql.replaceAll(",\\s+ordered => true", ""))(rows)
    }
    val batches = cut(random, all, 8, 20)
    val (source, checkpoint) = (new Source(Readings), temporary())
    val out = new Answers(checkpoint)
    def frame = query(source.rows.withWatermark("t", "25 seconds"))
    def run(rows: Seq[Row]): Unit = {
      source.add(rows)
      out.start(frame, Trigger.AvailableNow()).awaitTermination()
    }
    val (early, pending, last) =
      withConf("spark.sql.shuffle.partitions" -> s"${1 + seed % 2}") {
        batches.init.foreach(run)
        val early = out.next()
        val pending = Muntin.pending(frame, checkpoint.toString).collect().toSeq
        withConf(MuntinConf.StreamDrain.key -> "true")(run(batches.last))
        (early, pending, out.next())
      }
    val so = byName(query(table(Readings, batches.init.flatten)).collect().toSeq)
    byName(early ++ pending).foreach { case (name, rows) =>
      assert(rows === so.getOrElse(name, Nil), s"$name, with pending rows")
    }
    val (before, found) = (byName(early), byName(early ++ last))
    val wanted = byName(query(table(Readings, all)).collect().toSeq)
    queries.map(_._1).foreach { name =>
      assert(wanted.get(name).exists(_.size > 3), name)
      assert(before.contains(name), s"$name: no row was emitted before the end")
      assert(found.getOrElse(name, Nil) === wanted(name), name)
    }
  }

  /** Returns the queries that run: every fourth one under `make test`. */
  private def some(queries: Seq[(String, String)]): Seq[(String, String)] =
    queries.zipWithIndex.collect { case (query, i) if Repeats.selects(i, 4) => query }

  for (((name, v), seed) <- waiting.zipWithIndex)
    sampledTest(s"$name, below windows of every kind: as a batch, run by run", most = 9) {
      check(v, rows(new Random(seed.toLong), 64, spread = 20), some(above), seed)
    }

  for ((name, v) <- Seq(waiting(0), waiting(3), waiting(7)))
    sampledTest(s"$name, in the sides of window_by: as a batch, run by run", most = 3) {
      check(v, rows(new Random(3L), 64, spread = 20), some(anchored), 3)
    }

  for (((name, v), seed) <- waiting.zipWithIndex)
    sampledTest(s"$name, below windows of every kind, in the order of arrival", most = 9) {
      val all = rows(new Random(40L + seed), 64, spread = 0)
      withConf(MuntinConf.StreamOrder.key -> "arrival") {
        // Rows are counted over all groups only in the order of their starts.
        check(v, all, some(above.filterNot(_._2.contains("dump_at"))), seed)
      }
    }

  private val next = "(SELECT k, t, i AS x, lead(i) OVER (ORDER BY t) AS n, " +
    "lead(t) OVER (ORDER BY t) AS u FROM t)"

  private def second(time: String): String = s"unix_seconds($time) - 1704067200"

  /** Results for rows at 1, 2, 5, 19, 30 and 40, in the order of time. */
  private val answers: Seq[(String, String, Seq[String], Seq[String])] = Seq(
    (
      "field_window",
      s"SELECT ${second("w.open")}, s FROM (SELECT field_window(t, 10, 10) AS w, sum(n) AS s " +
        s"FROM $next GROUP BY field_window(t, 10, 10))",
      Seq("", "", "", "", "0 26", "10 30"),
      Seq("30 40", "40 null")
    ),
    (
      "validity: the states of a machine",
      s"SELECT ${second("w.start")}, ${second("w.end")}, x FROM (SELECT validity(t, u) AS w, " +
        s"max(x) AS x FROM $next WHERE u IS NOT NULL GROUP BY validity(t, u))",
      Seq("", "", "1 2 1", "2 5 2", "5 19 5", "19 30 19"),
      Seq("30 40 30")
    ),
    (
      "window_by, lead in the source",
      s"""SELECT ${second("at")}, ns FROM window_by(TABLE(SELECT t AS s, n FROM $next),
         |  TABLE(SELECT t AS at FROM t), aggregates => 'collect_list(n) AS ns', time => 's',
         |  start => 'at - INTERVAL 3 SECONDS', end => 'at', obsolete => 'at - INTERVAL 3 SECONDS')
         |""".stripMargin,
      Seq("", "", "1 [2]", "2 [2, 5]", "5 [5, 19]", "19 [30]"),
      Seq("30 [40]", "40 []")
    ),
    (
      "window_by, while another stream is true",
      s"""SELECT ${second("lo")}, ${second("hi")}, ys FROM window_by(TABLE(SELECT t, i AS y FROM t),
         |  TABLE(SELECT t AS lo, u AS hi, x FROM $next WHERE x % 2 = 1 AND u IS NOT NULL),
         |  aggregates => 'collect_list(y) AS ys', time => 't', start => 'lo', end => 'hi',
         |  closed => 'left', obsolete => 'lo')""".stripMargin,
      Seq("", "", "", "1 2 [1]", "", "5 19 [5]"),
      Seq("19 30 [19]")
    )
  )

  private def told(rows: Seq[Row]): String = rows.map { r =>
    r.toSeq.map {
      case list: collection.Seq[_] => list.mkString("[", ", ", "]")
      case other => s"$other"
    }.mkString(" ")
  }.mkString("; ")

  sampledTest(
    "a row in each micro-batch, over restarts: time is the time of the oldest waiting row"
  ) {
    answers.foreach { case (name, sql, early, last) =>
      val batches = Seq(1, 2, 5, 19, 30, 40).map(t => Seq(Row("k", at(t.toLong), t, 1.0)))
      def query(df: DataFrame) = asked(sql)(df.withWatermark("t", "0 seconds"))
      val (source, checkpoint) = (new Source(Readings), temporary())
      val out = new Answers(checkpoint)
      val found = batches.map { rows =>
        source.add(rows)
        out.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
        told(out.next())
      }
      assert(found === early, name)
      val pending = Muntin.pending(query(source.rows), checkpoint.toString).collect().toSeq
      assert(pending.map(r => told(Seq(r))).sorted === last, name)
      assert(
        (found.filter(_.nonEmpty) ++ last).sorted ===
          asked(sql)(table(Readings, batches.flatten)).collect().map(r =>
            told(Seq(r))
          ).sorted.toSeq,
        name
      )
    }
  }

  sampledTest("late rows are dropped once, and held back rows are not late") {
    val batches = Seq(
      Seq("a" -> 10, "b" -> 12),
      Seq("b" -> 40),
      Seq("b" -> 60, "b" -> 15),
      Seq("a" -> 65),
      Seq("b" -> 90),
      Seq("b" -> 120)
    )
      .map(_.map { case (k, t) => Row(k, at(t.toLong), t, 1.0) })
    val sql = s"SELECT k, ${second("w.open")}, n, s FROM (SELECT k, field_window(t, 10, 10) AS w, " +
      "count(*) AS n, sum(v) AS s FROM (SELECT k, t, lead(i) OVER (PARTITION BY k ORDER BY t) AS v " +
      "FROM t) GROUP BY k, field_window(t, 10, 10))"
    var dropped = 0L
    val found = streamed(
      Readings,
      batches,
      restarts = Set(2, 4),
      seen = p =>
        dropped = math.max(dropped, p.stateOperators.map(_.numRowsDroppedByWatermark).sum)
    )(df => asked(sql)(df.withWatermark("t", "0 seconds"))).map(told)
    // The row a, 10 waits for a, 65, and all other rows wait for it, until time is at 90.
    assert(found.take(4).forall(_.isEmpty))
    assert(found(4).split("; ").toSet === Set("a 10 1 65", "b 10 1 40", "b 40 1 60"))
    assert(found.drop(5).mkString === "")
    assert(dropped === 1L)
  }

  sampledTest("killed before a micro-batch is committed: it emits equal rows again") {
    val source = new Source(Readings)
    val checkpoint = temporary()
    val all = rows(new Random(21L), 60, spread = 20)
    val query = asked(together(waiting.head._2, Seq(above.head, above(2), anchored(1))))(_)
    def frame = query(source.rows.withWatermark("t", "25 seconds"))
    val out = new Answers(checkpoint)
    var (found, number) = (Seq.empty[Row], -1L)
    all.grouped(20).foreach { rows =>
      source.add(rows)
      Seq(1L, 2L).map(_ + number).foreach { batch =>
        intercept[Exception](
          out.start(frame, Trigger.AvailableNow(), _ == batch).awaitTermination()
        )
        val killed = out.last
        val again = new Answers(checkpoint)
        intercept[Exception](
          again.start(frame, Trigger.AvailableNow(), _ == batch).awaitTermination()
        )
        assert(again.last._1 === killed._1)
        assert(shown(again.last._2) === shown(killed._2))
      }
      out.start(frame, Trigger.AvailableNow()).awaitTermination()
      number = out.last._1
      found ++= out.next()
    }
    val expected = shown(query(table(Readings, all)).collect().toSeq)
    assert(found.size > 20)
    assert(shown(found).diff(expected) === Nil)
  }

  sampledTest("output mode update: the last answer of each row equals append") {
    val all = rows(new Random(5L), 60, spread = 20)
    def query(df: DataFrame) =
      asked("SELECT k, field_window AS w, count(*) AS n, sum(v) AS s FROM " +
        s"${below(waiting.head._2)} GROUP BY k, field_window(t, 10, 10)")(
        df.withWatermark("t", "25 seconds")
      )
    val batches = all.grouped(15).toSeq
    val appended = streamed(Readings, batches, Set(2))(query).flatten
    val updated = streamed(Readings, batches, Set(2), outputMode = "update")(query).flatten
    val last = updated.groupBy(r => (r.get(0), r.get(1))).values.map(_.last).toSeq
    assert(appended.size > 5 && updated.size > appended.size)
    assert(shown(appended).diff(shown(last)) === Nil)
  }

  private def stream = spark.readStream.format("rate").load()
    .selectExpr("string(value % 3) AS k", "timestamp AS t", "int(value) AS i", "double(value) AS d")
    .withWatermark("t", "1 minute")

  private def held(rows: DataFrame): DataFrame =
    asked(s"SELECT * FROM ${below(waiting.head._2)}")(rows)

  /** Spark's stateful operators, which use Spark's watermark. */
  private val ofSpark: Seq[(String, DataFrame => AnyFrame)] = Seq(
    "window" -> (_.groupBy(window(col("t"), "10 seconds")).count()),
    "session_window" -> (_.groupBy(session_window(col("t"), "10 seconds"), col("k")).count()),
    "GROUP BY time" -> (_.groupBy("t").count()),
    "DISTINCT" -> (_.select("k", "t").distinct()),
    "dropDuplicates" -> (_.dropDuplicates("k", "t")),
    "dropDuplicates of others" -> (_.dropDuplicates("k")),
    "dropDuplicatesWithinWatermark" -> (_.dropDuplicatesWithinWatermark("k")),
    "a join with itself" -> (df =>
      df.as("a").join(
        stream.as("b"),
        expr("a.k = b.k AND b.t > a.t - INTERVAL 9 SECONDS AND b.t <= a.t")
      )
    ),
    "an outer join" -> (df =>
      stream.as("b").join(
        df.as("a"),
        expr("a.k = b.k AND b.t > a.t - INTERVAL 9 SECONDS AND b.t <= a.t"),
        "left_outer"
      )
    ),
    "a join, of a time without a watermark" -> (df =>
      df.selectExpr("timestamp_micros(unix_micros(t)) AS s", "k").as("a")
        .join(stream.as("b"), expr("a.s = b.t"))
    ),
    "windows of windows, then window" -> (df =>
      df.groupBy(expr("field_window(t, 10, 10)")).count().selectExpr("field_window.close AS at")
        .groupBy(window(col("at"), "1 minute")).count()
    ),
    "OVER, then window" -> (df =>
      df.selectExpr("t", "sum(v) OVER (PARTITION BY i % 2 ORDER BY t) AS s")
        .groupBy(window(col("t"), "1 minute")).count()
    ),
    "a UNION with other rows, then window" -> (df =>
      df.select("t").union(stream.select("t")).groupBy(window(col("t"), "1 minute")).count()
    )
  )

  test("Spark's stateful operators above them are rejected, in every order") {
    for (order <- Seq("watermark", "arrival"); (name, above) <- ofSpark)
      withConf(MuntinConf.StreamOrder.key -> order) {
        val said = Try(above(held(stream))).failed.map(_.getMessage).getOrElse("accepted")
        assert(said.contains("[MUNTIN_ROWS_LAG_WATERMARK]"), s"$name, $order: $said")
      }
    val error = intercept[AnalysisException] {
      held(stream).groupBy(window(col("t"), "9 seconds")).count()
    }
    val upstream = parametersOf(error, "MUNTIN_ROWS_LAG_WATERMARK")("upstream")
    assert(upstream.contains("lead(t.i"), upstream)
  }

  test("Spark's operators that do not use a watermark may follow them") {
    val batches = rows(new Random(6L), 60, spread = 20).grouped(20).toSeq
    def query(df: DataFrame): DataFrame =
      held(df.withWatermark("t", "25 seconds")).select("k", "v").dropDuplicates("k", "v")
        .asInstanceOf[DataFrame]
    val (early, last) = drained(Readings, batches, drain = true)(query)
    assert(early.nonEmpty)
    assert(shown(early ++ last) === shown(query(table(Readings, batches.flatten)).collect().toSeq))
    val counts = streamed(Readings, batches, outputMode = "update") { df =>
      held(df.withWatermark("t", "25 seconds")).groupBy("k").count().asInstanceOf[DataFrame]
    }.flatten
    assert(counts.nonEmpty)
  }

  test("rows that cannot be held back are rejected") {
    def refused(sql: String): Unit =
      assertRefused("MUNTIN_UPSTREAM_NOT_IN_ORDER") {
        asked(sql.replaceAll("\\bW\\b", below(waiting.head._2)))(stream)
      }
    refused("SELECT sum(x) OVER (ORDER BY t) FROM " +
      "(SELECT t, v AS x FROM W UNION ALL SELECT t, i FROM t)")
    refused("SELECT field_window, count(*) FROM W GROUP BY field_window(u, 10, 10)")
    withConf(MuntinConf.StreamOrder.key -> "arrival") {
      val pieces =
        "(SELECT w.start AS t, n FROM (SELECT validity(t, t + INTERVAL 5 SECONDS) AS w, " +
          "count(*) AS n FROM t GROUP BY k, validity(t, t + INTERVAL 5 SECONDS)))"
      refused("SELECT field_window, count(*) FROM (SELECT t, lead(n) OVER (ORDER BY t) " +
        s"FROM $pieces) GROUP BY field_window(t, 10, 10)")
    }
  }

  test(
    "a checkpoint: pending works for a part of its query; without times it is rejected"
  ) {
    val source = new Source(Readings)
    val checkpoint = temporary()
    val out = new Answers(checkpoint)
    val lead = "SELECT t, lead(i) OVER (ORDER BY t) AS n FROM t"
    def part = asked(lead)(source.rows.withWatermark("t", "0 seconds"))
    def frame = asked("SELECT field_window, sum(n) FROM t GROUP BY field_window(t, 10, 10)")(part)
    def run(): Unit = out.start(frame, Trigger.AvailableNow()).awaitTermination()
    source.add(Seq(1, 5, 30).map(t => Row("k", at(t.toLong), t, 1.0)))
    run()
    val waiting = Muntin.pending(part, checkpoint.toString).collect().map(_.get(1))
    assert(waiting.mkString(" ") === "30 null")
    // The checkpoint before OVER kept the times of waiting rows.
    val changed = Files.walk(checkpoint.resolve("state/1/_metadata")).toScala(Seq)
      .filter(Files.isRegularFile(_)).count { file =>
        val text = new String(Files.readAllBytes(file), UTF_8)
        Files.write(file, text.replace("time above", "time elsewhere").getBytes(UTF_8))
        text.contains("time above")
      }
    assert(changed > 0)
    source.add(Seq(Row("k", at(50), 50, 1.0)))
    assertCondition(
      intercept[Exception](run()),
      "MUNTIN_CHECKPOINT_OF_OTHER_QUERY",
      "property" -> "time above",
      "stored" -> "none"
    )
  }
}

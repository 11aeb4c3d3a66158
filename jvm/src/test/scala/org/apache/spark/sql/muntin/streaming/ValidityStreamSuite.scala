package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}
import java.sql.Timestamp
import java.time.Instant
import java.time.temporal.ChronoUnit.{MICROS, MILLIS}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.SparkEnv
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.{StreamingQueryException, StreamingQueryProgress}
import org.apache.spark.sql.types._

/**
 * validity over a stream: the results equal a batch over the same rows with drain => false and a
 * row of another group that starts at the watermark's bound.
 */
final class ValidityStreamSuite extends StreamSession {
  import ValidityStreamSuite._

  private def table(rows: Seq[Row]): DataFrame = table(schema, rows)

  /**
   * Out of order by less than the delay, with ties, some a microsecond later; with a gap, or rows
   * without an end.
   */
  private def rows(random: Random, count: Int): Seq[Row] = {
    val never = random.nextBoolean()
    val longest = Seq(10, 150)(random.nextInt(2))
    Seq.tabulate(count) { i =>
      val t = 2L * i + random.nextInt(Delay.toInt - 2) + (if (2 * i > count) 400L else 0L)
      val s = at(t).toInstant.plus(if (random.nextInt(5) == 0) 1L else 0L, MICROS)
      val length = if (random.nextInt(8) == 0) 0 else random.nextInt(longest)
      val e =
        if (never && random.nextInt(15) == 0) null else Timestamp.from(s.plusSeconds(length.toLong))
      val d = if (random.nextInt(8) == 0) null
      else random.nextGaussian() * math.pow(10, random.nextInt(6).toDouble)
      Row(
        if (random.nextInt(12) == 0) null else s"k${random.nextInt(2)}",
        Timestamp.from(s),
        e,
        i,
        d
      )
    }
  }

  private def query(key: String, arguments: String): DataFrame => DataFrame = asked(
    s"""SELECT ${key}validity.start AS start, validity.end AS end, ${aggregates.mkString(", ")}
       |FROM t GROUP BY ${key}validity(s, e$arguments)""".stripMargin
  )

  private def start(row: Row): Instant = row.getAs[Timestamp]("start").toInstant

  private def end(row: Row): Option[Instant] = Option(row.getAs[Timestamp]("end")).map(_.toInstant)

  /** The rows that have reached their windows: by element, a row at the bound waits. */
  private def come(rows: Seq[Row], bound: Instant, sql: String): Seq[Row] = rows.filter { row =>
    val start = row.getTimestamp(1).toInstant
    if (sql.contains("'element'")) start.isBefore(bound) else !start.isAfter(bound)
  }

  private def closing(time: Instant): Row = Row(Other, Timestamp.from(time), null, -1, null)

  /** Returns the results of a batch when time has advanced to `bound` in another group. */
  private def grouped(rows: Seq[Row], bound: Instant, arguments: String): Seq[Row] =
    query(
      "k, ",
      s"$arguments, drain => false"
    )(table(come(rows, bound, arguments) :+ closing(bound)))
      .collect().toSeq.filter(_.get(0) != Other)

  /** The results for one group of all rows: intervals that have ended by then. */
  private def together(rows: Seq[Row], bound: Instant, arguments: String): Seq[Row] =
    query("", arguments)(table(come(rows, bound, arguments))).collect().toSeq
      .filter(end(_).exists(!_.isAfter(bound)))

  // The watermark is in milliseconds.
  private def bound(newest: Instant): Instant = newest.truncatedTo(MILLIS).minusSeconds(Delay)

  /** The results of a batch that have ended by then, in all groups. */
  private def closed(rows: Seq[Row], bound: Instant, sql: String): Seq[Row] =
    asked(sql)(table(come(
      rows,
      bound,
      sql
    ))).collect().toSeq.filter(end(_).exists(!_.isAfter(bound)))

  private def check(arguments: String, key: String, seed: Int): Unit =
    sampledTest(s"GROUP BY ${key}validity(s, e$arguments), $seed") {
      val random = new Random(seed.toLong)
      val all = rows(random, 110)
      val newest = all.map(_.getTimestamp(1).toInstant).max
      // Until all rows are emitted, or with open intervals and buffered rows.
      val last = newest.plusSeconds(if (seed % 2 == 0) 100000 else 5)
      // The second row arrives when the first has advanced the watermark.
      val batches = cut(random, all, 50) :+ Seq(closing(last)) :+ Seq(closing(last))
      val found = streamed(schema, batches, chosen(random, batches)) { df =>
        query(key, arguments)(df.withWatermark("s", s"$Delay seconds"))
      }
      val got = found.flatten.filter(r => key.isEmpty || r.get(0) != Other)
      val wanted =
        if (key.isEmpty) together(all, bound(last), arguments)
        else grouped(all, bound(last), arguments)
      assert(shown(got) === shown(wanted))
      assert(found.dropRight(3).exists(_.nonEmpty), "no row was emitted before the end")
      // The rows of a group in their order.
      got.groupBy(r => if (key.isEmpty) 0 else r.get(0)).values.foreach { group =>
        assert(group.map(start) === group.map(start).sorted)
      }
    }

  for (seed <- 1 to 4) check("", "k, ", seed)
  for (seed <- 5 to 6) check("", "", seed)
  for (seed <- 7 to 8) check(", dump_at => 3", "", seed)

  /**
   * The number of stores, the memory for groups that stay, and whether Spark has several stateful
   * operators.
   */
  private val places = Seq(("1", "64m", true), ("3", "0", true), ("3", "64m", false))

  for {
    (k, i) <- Seq(1, 2, 7, 7).zipWithIndex
    (partitions, warm, several) = places(i % 3)
  }
    sampledTest(
      s"cut at the start of every $k-th row of all groups, in $partitions partitions, $i"
    ) {
      val random = new Random(100L + i)
      val all = rows(random, 110)
      // The last row, repeatedly, so that time approaches its bound without passing all rows.
      val last = all.map(_.getTimestamp(1).toInstant).max.plusSeconds(if (i == 1) 100000 else 5)
      val batches = cut(random, all, 40) ++ Seq.fill(2)(Seq(closing(last)))
      val sql =
        s"""SELECT k, validity.start AS start, validity.end AS end, ${aggregates.mkString(", ")}
           |FROM t GROUP BY k, validity(s, e, dump_at => $k)""".stripMargin
      var read = 0L
      val found = withConf(
        "spark.sql.shuffle.partitions" -> partitions,
        MuntinConf.StreamWarmMemory.key -> warm,
        SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE.key -> several.toString
      ) {
        streamed(
          schema,
          batches,
          chosen(random, batches),
          p => if (p.batchId == 0L) read = p.numInputRows
        )(df => asked(sql)(df.withWatermark("s", s"$Delay seconds")))
      }
      val wanted = closed(all, bound(last), sql)
      assert(shown(found.flatten).diff(shown(wanted)) === Nil)
      assert(shown(wanted).diff(shown(found.flatten)) === Nil)
      assert(found.dropRight(3).exists(_.nonEmpty), "no row was emitted before the end")
      // There are more of them than without, also for rows that are not read twice.
      assert(wanted.size > closed(all, bound(last), sql.replace(s", dump_at => $k", "")).size)
      assert(batches.map(_.size.toLong).contains(read))
    }

  for (seed <- 9 to 10) check(", emit => 'element'", "k, ", seed)

  test("Odysseus: an interval is emitted when time has advanced to its end") {
    val sql = "SELECT validity.start, validity.end, count(*) FROM t GROUP BY validity(s, e)"
    def row(s: Long, e: Long) = Row("x", at(s), at(e), 0, 0.0)
    // The watermark is the watermark of the previous micro-batch: a further row releases the last
    // interval.
    val found = streamed(schema, Seq(row(0, 10), row(5, 15), row(20, 30), row(31, 31)).map(Seq(_))) {
      df => asked(sql)(df.withWatermark("s", "0 seconds"))
    }
    assert(found.flatten === Seq((0, 5, 1L), (5, 10, 2L), (10, 15, 1L), (20, 30, 1L)).map {
      case (s, e, n) => Row(at(s.toLong), at(e.toLong), n)
    })
    val four =
      Seq(Seq.fill(4)(row(0, 10)), Seq(row(10, 40)), Seq.fill(2)(row(20, 30)), Seq(row(90, 90)))
    val merged = streamed(schema, four)(df => asked(sql)(df.withWatermark("s", "0 seconds")))
    assert(merged.flatten.map(_.getLong(2)) === Seq(4L, 1L, 3L, 1L))
  }

  sampledTest("an interval that a row at the watermark cuts is emitted immediately") {
    def row(k: String, s: Long, e: Any) =
      Row(k, at(s), e match { case end: Int => at(end.toLong); case _ => null }, 0, 1.0)
    // One row per micro-batch: of two groups, with equal starts, and a row that is never valid.
    val rows = Seq(
      row("a", 10, 50),
      row("b", 12, 14),
      row("a", 20, 60),
      row("a", 20, 30),
      row("b", 20, null),
      row("b", 25, 25),
      row("b", 27, 40)
    )
    val start = Seq("10-20: 1", "12-14: 1", "20-27: 1")
    def sql(window: String) =
      s"SELECT validity.start, validity.end, count(*) FROM t GROUP BY k, $window"
    val byStart =
      "SELECT v.start, v.end, n FROM (SELECT validity(start, end) AS v, count(*) AS n " +
        s"FROM (${sql("validity(s, e)")}) GROUP BY validity(start, end))"
    def shownBySeconds(rows: Seq[Row]) = rows.map { r =>
      def second(i: Int) = (r.getTimestamp(i).getTime - at(0L).getTime) / 1000L
      s"${second(0)}-${second(1)}: ${r.getLong(2)}"
    }.sorted
    def answers(of: String, mode: String = "append") =
      streamed(schema, rows.map(Seq(_)), Set(2, 5), outputMode = mode) { df =>
        asked(of)(df.withWatermark("s", "0 seconds"))
      }
    def found(of: String) = answers(of).map(shownBySeconds)
    val once = found(sql("validity(s, e)"))
    assert(once(2) === Seq("10-20: 1", "12-14: 1"))
    assert(once.flatten.sorted === start)
    // With drain => false a batch has equal results, after each row.
    rows.indices.foreach { i =>
      val batch = asked(sql("validity(s, e, drain => false)"))(table(rows.take(i + 1)))
      assert(once.take(i + 1).flatten.sorted === shownBySeconds(batch.collect().toSeq))
    }
    val updated =
      answers(sql("validity(s, e)").replace(" FROM", ", revision().kind FROM"), "update")
    assert(updated.map(rows => shownBySeconds(rows.filter(_.get(3) == "final"))) === once)
    // Every row cuts all groups.
    val cut = found(sql("validity(s, e, dump_at => 1)"))
    rows.indices.foreach { i =>
      val batch =
        asked(sql("validity(s, e, dump_at => 1, drain => false)"))(table(rows.take(i + 1)))
      assert(cut.take(i + 1).flatten.sorted === shownBySeconds(batch.collect().toSeq))
    }
    // Over pieces: time is at the oldest open piece.
    assert(found(byStart).flatten.sorted === Seq("10-12: 1", "12-14: 2", "14-20: 1"))
    val over = "SELECT *, count(*) OVER (ORDER BY start) FROM " +
      "(SELECT validity.start, validity.end FROM t GROUP BY k, validity(s, e))"
    assert(found(over).flatten.sorted === Seq("10-20: 1", "12-14: 2"))
    val byEnd = "SELECT start, end, count(*) OVER (ORDER BY end) FROM " +
      "(SELECT validity.start, validity.end FROM t GROUP BY k, validity(s, e))"
    assert(found(byEnd).flatten.sorted === Seq("10-20: 2", "12-14: 1"))
  }

  test("every group is cut when another group's row starts there, after any quiet time") {
    val first = Seq(Row("a", at(0), null, 0, 1.0), Row("b", at(1), at(25), 0, 2.0))
    // All groups together have rows at 0, 1, 10, 20, …; every second row is at 1, 20, 40.
    val others = (1 to 4).map(i => Seq(Row("c", at(10L * i), at(10L * i), 0, 0.0)))
    var states = Seq.empty[Seq[Long]]
    val found = streamed(
      schema,
      first +: others :+ Seq(Row("c", at(45), at(45), 0, 0.0)),
      Set(3),
      p => states = p.stateOperators.map(_.customMetrics.get("numGroups").longValue).toSeq +: states
    ) { df =>
      asked(
        "SELECT k, validity.start, validity.end, sum(d) FROM t GROUP BY k, validity(s, e, dump_at => 2)"
      )(df.withWatermark("s", "0 seconds"))
    }
    def piece(k: String, from: Long, until: Long, sum: Double) = Row(k, at(from), at(until), sum)
    assert(found.map(shown) === Seq(
      shown(Seq(piece("a", 0, 1, 1.0))),
      Nil,
      shown(Seq(piece("a", 1, 20, 1.0), piece("b", 1, 20, 2.0))),
      shown(Seq(piece("b", 20, 25, 2.0))),
      shown(Seq(piece("a", 20, 40, 1.0))),
      Nil,
      Nil
    ))
    // The operators of the groups: a stays, c has no valid row. The operator of all rows has one
    // group.
    assert(states.filter(_.nonEmpty).map(_.last).max === 1L)
    assert(states.filter(_.nonEmpty).map(_.head).max === 3L)
  }

  test("counts over all groups include the rows that a filter on the groups removes") {
    val random = new Random(31)
    val all = rows(random, 60)
    val last = all.map(_.getTimestamp(1).toInstant).max.plusSeconds(100000)
    val sql =
      """SELECT * FROM (SELECT k, validity.start AS start, validity.end AS end, count(*)
        |FROM t GROUP BY k, validity(s, e, dump_at => 3)) WHERE k = 'k1'""".stripMargin
    val found = streamed(schema, cut(random, all, 50) ++ Seq.fill(2)(Seq(closing(last))), Set(1)) {
      df => asked(sql)(df.withWatermark("s", s"$Delay seconds"))
    }
    assert(shown(found.flatten) === shown(closed(all, bound(last), sql)))
  }

  sampledTest("over another stateful operator with the same keys: its rows are counted, once") {
    val random = new Random(37)
    val all = rows(random, 60)
    val last = all.map(_.getTimestamp(1).toInstant).max.plusSeconds(100000)
    val sql =
      """SELECT k, validity.start AS start, validity.end AS end, count(*), max(n), sum(m)
        |FROM (SELECT *, count(*) OVER w AS n, min(d) OVER w AS m FROM t
        |      WINDOW w AS (PARTITION BY k ORDER BY s RANGE INTERVAL 30 SECONDS PRECEDING))
        |GROUP BY k, validity(s, e, dump_at => 2)""".stripMargin
    var operators = 0
    val found = streamed(
      schema,
      cut(random, all, 50) ++ Seq.fill(2)(Seq(closing(last))),
      Set(1),
      p => operators = math.max(operators, p.stateOperators.length)
    )(df => asked(sql)(df.withWatermark("s", s"$Delay seconds")))
    assert(shown(found.flatten) === shown(closed(all, bound(last), sql)))
    assert(operators === 3)
  }

  sampledTest("late rows are not counted, also if rows are already partitioned by their keys") {
    def row(k: String, s: Int) = Row(k, at(s.toLong), if (k == "a") null else at(s.toLong), 0, 1.0)
    val others = Seq(Seq(10), Seq(20), Seq(5, 30), Seq(40), Seq(51), Seq(60))
    val batches = Seq(row("a", 0)) +: others.map(_.map(row("c", _)))
    var dropped = 0L
    val found = withConf("spark.sql.shuffle.partitions" -> "3") {
      streamed(
        schema,
        batches,
        seen = p =>
          dropped = math.max(dropped, p.stateOperators.map(_.numRowsDroppedByWatermark).sum)
      ) { df =>
        asked(
          "SELECT k, validity.start, validity.end FROM t GROUP BY k, validity(s, e, dump_at => 2)"
        )(df.withWatermark("s", "0 seconds").repartition(3, col("k")))
      }
    }
    assert(found.flatten === Seq(0 -> 10, 10 -> 30, 30 -> 51).map { case (s, e) =>
      Row("a", at(s.toLong), at(e.toLong))
    })
    assert(dropped === 1L)
  }

  test(
    "rows with an undefined position: the counted rows are the rows that arrive"
  ) {
    val random = new Random(41)
    val all = rows(random, 80).filter(r => !r.isNullAt(2) && r.get(1) != r.get(2))
    val last = all.map(_.getTimestamp(1).toInstant).max.plusSeconds(100000)
    def sql(of: String) =
      s"""SELECT k, validity.start AS start, validity.end AS end, collect_list(i) AS list
         |FROM t$of GROUP BY k, validity(s, e, dump_at => 3)""".stripMargin
    val batches = cut(random, all, 50) ++ Seq.fill(2)(Seq(closing(last)))
    val found = streamed(schema, batches, Set(1)) { df =>
      asked(sql(" WHERE i < 0 OR rand() < 0.5"))(df.withWatermark("s", s"$Delay seconds"))
    }.flatten
    val there = found.flatMap(_.getSeq[Int](3)).toSet
    assert(there.size > 10 && there.size < all.size - 10)
    val some = all.filter(r => there(r.getInt(3)))
    assert(shown(found) === shown(closed(some, bound(last), sql(""))))
  }

  test("Odysseus: if latency counts, a result for each element") {
    val rows = Seq(10 -> 50, 20 -> 60, 40 -> 70, 40 -> 80, 100 -> 100).map { case (s, e) =>
      Row("x", at(s.toLong), at(e.toLong), 0, 0.0)
    }
    val sql =
      "SELECT validity.start, validity.end, count(*) FROM t GROUP BY validity(s, e, emit => 'element')"
    val expected = Seq(10 -> 1L, 20 -> 2L, 40 -> 3L, 40 -> 4L, 100 -> 0L).map { case (s, n) =>
      Row(at(s.toLong), null, n)
    }
    val byStart = rows.groupBy(_.getTimestamp(1).getTime).toSeq.sortBy(_._1).map(_._2)
    val last = Seq(Row("x", at(200), at(200), 0, 0.0))
    val passed = streamed(schema, byStart :+ last) { df =>
      asked(sql)(df.withWatermark("s", "0 seconds"))
    }
    assert(passed.flatten === expected)
    // Each in the micro-batch with its row.
    withConf("spark.muntin.stream.order" -> "arrival") {
      val found = streamed(schema, rows.map(Seq(_)), Set(2, 3))(asked(sql))
      assert(found.take(5) === expected.map(Seq(_)))
    }
  }

  test("in the order of arrival a row of any group closes the intervals of all") {
    val random = new Random(17)
    val all = rows(random, 80).sortBy(_.getTimestamp(1).toInstant)
    val batches = cut(random, all, 50)
    withConf("spark.muntin.stream.order" -> "arrival") {
      val found = streamed(schema, batches, Set(1, 3))(query("k, ", ""))
      val newest = all.last.getTimestamp(1).toInstant
      assert(shown(found.flatten) === shown(grouped(all, newest, "")))
    }
  }

  private def numbers(progress: StreamingQueryProgress): Map[String, Long] =
    progress.stateOperators.head.customMetrics.asScala.map { case (k, v) => k -> v.longValue }.toMap

  test("the state contains the valid rows, even if one of them stays long") {
    val first = Row("x", at(0), null, -1, 0.5)
    val short = Seq.tabulate(10000) { i =>
      Row("x", at(1L + i), at(1L + i + 1 + i % 7), i, i * 0.5)
    }
    val end = Seq(Row(Other, at(100000), null, 0, 0.0))
    val batches = (first +: short).grouped(2001).toSeq ++ Seq(end, end)
    val all = mutable.LinkedHashMap.empty[Long, Map[String, Long]]
    val found = streamed(
      schema,
      batches,
      Set(2),
      p => if (p.stateOperators.nonEmpty) all(p.batchId) = numbers(p)
    ) { df =>
      asked(
        "SELECT validity.start, validity.end, count(*), sum(d) FROM t GROUP BY k, validity(s, e)"
      )(
        df.withWatermark("s", "3 seconds")
      )
    }
    assert(found.flatten.size > 10000)
    // The waiting rows are the rows of one micro-batch; after it, few are valid.
    assert(all.values.map(_("numRowsBuffered")).max < 2100L)
    assert(all.values.map(_("numRowsBuffered")).toSeq.count(_ < 30L) >= 4, all.values)
    assert(all.values.map(_("numPages")).toSeq.count(_ == 0L) >= 4)
  }

  test("many valid rows: in pages, and the pages of expired rows are deleted") {
    val random = new Random(5)
    val all = Seq.tabulate(4000) { i =>
      val length = if (i % 3 == 0) 200 + random.nextInt(2500) else random.nextInt(30)
      Row(
        "x",
        at(i.toLong + random.nextInt(10)),
        at(i.toLong + 10 + length),
        i,
        random.nextGaussian()
      )
    }
    val last = Seq(closing(at(100000).toInstant))
    val batches = all.grouped(600).toSeq ++ Seq(last, last)
    var pages = 0L
    var rows = 0L
    val sql =
      "SELECT validity.start AS start, validity.end AS end, count(*), sum(i), plain_sum(d) " +
        "FROM t GROUP BY validity(s, e)"
    val found = streamed(
      schema,
      batches,
      Set(2, 5),
      p =>
        if (p.stateOperators.nonEmpty) {
          pages = math.max(pages, numbers(p)("numPages"))
          rows = numbers(p)("numRowsBuffered")
        }
    )(df => asked(sql)(df.withWatermark("s", s"$Delay seconds")))
    val bounded = bound(at(100000).toInstant)
    val wanted = asked(sql)(table(all)).collect().toSeq.filter(end(_).exists(!_.isAfter(bounded)))
    assert(shown(found.flatten) === shown(wanted))
    assert(pages > 3L)
    // The two rows that have closed the others.
    assert(rows === 2L)
  }

  private val cuts = Seq("" -> Seq(0 -> 7), ", dump_at => 2" -> Seq(0 -> 5, 5 -> 7))

  for ((arguments, pieces) <- cuts) sampledTest(
    s"a row that ends before it starts is an error with the row, and the query can continue$arguments",
    most = 2
  ) {
    val (source, answers) = (temporary(), new Answers)
    def put(name: String, rows: (String, Option[Long], Long)*): Path = Files.writeString(
      source.resolve(name),
      rows.map { case (k, s, e) =>
        val start = s.fold("")(t => s""""s":"${at(t).toInstant}",""")
        s"""{"k":"$k",$start"e":"${at(e).toInstant}","i":1,"d":1.5}"""
      }.mkString("\n")
    )
    def run(): Unit = {
      val rows =
        spark.readStream.schema(schema).json(source.toString).withWatermark("s", "1 second")
      val running = answers.start(asked(
        s"SELECT k, validity.start, validity.end, count(*) FROM t GROUP BY k, validity(s, e$arguments)"
      )(rows))
      try running.processAllAvailable()
      finally running.stop()
    }
    put("1.json", ("x", Some(0), 10), ("y", Some(5), 15))
    run()
    val bad = put("2.json", ("x", Some(7), 20), ("x", Some(30), 29))
    val error = intercept[StreamingQueryException](run())
    assertCondition(error, "MUNTIN_VALIDITY_ENDS_BEFORE_START")
    assert(messages(error).contains("k = x, s = 2024-01-01 00:00:30, e = 2024-01-01 00:00:29"))
    Files.delete(bad)
    put("2.json", ("x", Some(7), 20), ("x", None, 29))
    val noStart = intercept[StreamingQueryException](run())
    assertCondition(noStart, "MUNTIN_NULL_TIME_ON_STREAM", "time" -> "s")
    Files.delete(bad)
    put("2.json", ("x", Some(7), 20), ("x", Some(30), 31))
    run()
    put("3.json", ("z", Some(100), 101))
    run()
    put("4.json", ("z", Some(100), 101))
    run()
    val first = pieces.map { case (s, e) => Row("x", at(s.toLong), at(e.toLong), 1L) }
    assert(shown(answers.next()) === shown(first ++ Seq(
      Row("x", at(7), at(10), 2L),
      Row("x", at(10), at(20), 1L),
      Row("x", at(30), at(31), 1L),
      Row("y", at(5), at(15), 1L)
    )))
  }

  private def refused(sql: String, mark: DataFrame => DataFrame, parts: String*): Unit = {
    val error = refusal(streamed(schema, Nil)(df => asked(sql)(mark(df))))
    parts.foreach(p => assert(error.contains(p), error))
  }

  test("unsupported queries on a stream are rejected, with a remedy") {
    val marked = (df: DataFrame) => df.withWatermark("s", "1 minute")
    withConf("spark.muntin.stream.order" -> "arrival") {
      refused(
        "SELECT count(*) FROM t GROUP BY k, validity(s, e, dump_at => 2)",
        marked,
        "[MUNTIN_DUMP_AT_IN_ORDER_OF_ARRIVAL]",
        "the key `t.k`",
        "spark.muntin.stream.order=watermark"
      )
    }
    refused(
      "SELECT count(*) FROM t GROUP BY validity(s, e)",
      identity,
      "[MUNTIN_MISSING_WATERMARK]",
      "withWatermark(\"s\", \"10 minutes\")"
    )
    refused(
      "SELECT count(*) FROM t GROUP BY validity(i, 5)",
      marked,
      "[MUNTIN_NUMERIC_TIME_ON_STREAM]"
    )
    refused(
      "SELECT count(*) FROM t GROUP BY validity(s + INTERVAL 1 HOUR, e)",
      marked,
      "[MUNTIN_COMPUTED_TIME_ON_STREAM]"
    )
  }

  test("the ends of intervals have the watermark, so they can be aggregated again") {
    val random = new Random(23)
    val all = rows(random, 60)
    val last = closing(all.map(_.getTimestamp(1).toInstant).max.plusSeconds(100000))
    val sql =
      """SELECT validity.start, validity.end, count(*), sum(n)
        |FROM (SELECT k, validity, count(*) AS n FROM t GROUP BY k, validity(s, e))
        |GROUP BY validity""".stripMargin
    val found = streamed(schema, cut(random, all, 50) ++ Seq.fill(3)(Seq(last)), Set(1)) { df =>
      asked(sql)(df.withWatermark("s", s"$Delay seconds"))
    }
    val wanted = asked(sql)(table(all)).collect().toSeq.filter(!_.isNullAt(1))
    assert(shown(found.flatten) === shown(wanted))
  }

  test("intervals, an ordinary aggregate, next to Spark's own window") {
    val random = new Random(29)
    val all = rows(random, 60)
    val last = closing(all.map(_.getTimestamp(1).toInstant).max.plusSeconds(100000))
    val sql =
      """SELECT k, window.start, count(*), intervals(sum(d), s, e) AS sums, intervals(count(*), s, e) AS counts
        |FROM t GROUP BY k, window(s, '40 seconds')""".stripMargin
    val found = streamed(schema, cut(random, all, 50) ++ Seq.fill(2)(Seq(last)), Set(1, 2)) { df =>
      asked(sql)(df.withWatermark("s", s"$Delay seconds"))
    }
    val wanted = asked(sql)(table(all)).collect().toSeq
    assert(wanted.size > 4)
    assert(shown(found.flatten) === shown(wanted))
  }

  // In one group, which stays in memory, over several micro-batches in separate tasks.
  for {
    (title, select, from) <- Seq(
      ("OVER", "%s OVER (PARTITION BY k ORDER BY s, i ROWS 150 PRECEDING)", ""),
      ("sliding", "sliding(%s, 150) OVER (PARTITION BY k ORDER BY s, i)", ""),
      ("validity", "validity.start, %s", "GROUP BY k, validity(s, e)"),
      ("field_window", "field_window.open, %s", "GROUP BY k, field_window(s, INTERVAL 200 SECONDS)")
    )
    forced <- Seq(true, false)
  }
    sampledTest(s"intervals in the windows of $title${if (forced) ", on disk" else ""}") {
      val random = new Random(31)
      val all = rows(random, 240).map { r =>
        val start = r.getTimestamp(1).toInstant
        val end = Timestamp.from(start.plusSeconds(random.nextInt(300).toLong))
        Row("k", r.get(1), end, r.get(3), r.get(4))
      }
      val last = closing(all.map(_.getTimestamp(1).toInstant).max.plusSeconds(1000000))
      val sql = s"SELECT k, ${select.format("intervals(median(d), s, e)")} FROM t $from"
      val batches = all.grouped(60).toSeq ++ Seq.fill(2)(Seq(last))
      val found = withConf(
        MuntinConf.OverForceSpill.key -> forced.toString,
        "spark.sql.shuffle.partitions" -> "1"
      ) {
        streamed(schema, batches, Set(3)) { df =>
          asked(sql)(df.withWatermark("s", s"$Delay seconds"))
        }
      }
      val wanted = asked(sql)(table(all)).collect().toSeq
      assert(found.dropRight(3).count(_.nonEmpty) > 1)
      assert(shown(found.flatten.filter(_.get(0) == "k")) === shown(wanted))
      assert(SparkEnv.get.memoryManager.executionMemoryUsed === 0L)
    }
}

object ValidityStreamSuite {
  private val Delay = 20L
  private val Other = "other"

  private val schema = StructType(Seq(
    StructField("k", StringType),
    StructField("s", TimestampType),
    StructField("e", TimestampType),
    StructField("i", IntegerType),
    StructField("d", DoubleType)
  ))

  private val aggregates = Seq(
    "count(*)",
    "sum(d)",
    "max(d)",
    "min(d) FILTER (WHERE i % 3 = 0)",
    "median(d)",
    "stddev(d)",
    "collect_list(i)",
    "collect_set(i % 5)",
    "count(DISTINCT i % 4)",
    "max_by(i, d)",
    "plain_sum(d)"
  )
}

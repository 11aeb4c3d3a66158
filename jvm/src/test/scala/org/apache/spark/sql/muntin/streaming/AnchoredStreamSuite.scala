package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.{Duration, Instant}

import scala.util.Random

import io.muntin.functions
import io.muntin.functions.windowBy
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.classic
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.{Repeats, Warnings}
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.types._

/** window_by over two streams: the results equal a batch over the same tables. */
final class AnchoredStreamSuite extends StreamSession {
  // Both sides are read from one source, which the test divides into micro-batches.
  private val schema = StructType(Seq(
    StructField("side", StringType),
    StructField("k", StringType),
    StructField("t", TimestampType),
    StructField("i", IntegerType),
    StructField("d", DoubleType),
    StructField("lo", TimestampType),
    StructField("hi", TimestampType),
    StructField("gone", TimestampType)
  ))

  private def reading(k: String, t: Timestamp, i: Int, d: Any): Row =
    Row("s", k, t, i, d, null, null, null)

  private def anchor(
      k: String,
      t: Timestamp,
      i: Int,
      lo: Timestamp,
      hi: Timestamp,
      gone: Any = null
  ): Row =
    Row("a", k, t, i, null, lo, hi, gone)

  private def key(random: Random): String =
    if (random.nextInt(15) == 0) null else s"k${random.nextInt(3)}"

  // Unique times, so that lists have one order.
  private def readings(random: Random, count: Int): Seq[(Long, Row)] =
    Seq.tabulate(count) { i =>
      val t = 2L * i + random.nextInt(30)
      val d: Any = if (random.nextInt(8) == 0) null
      else random.nextGaussian() * math.pow(10, random.nextInt(9).toDouble)
      2L * i -> reading(key(random), at(t + i % 1000 / 1000.0), i, d)
    }

  /**
   * Windows that are nested, overlap, or contain one instant; windows of `ahead` do not end before
   * their row time.
   */
  private def anchors(
      random: Random,
      count: Int,
      ahead: Boolean,
      times: Seq[Timestamp]
  ): Seq[(Long, Row)] = {
    def exact(found: Seq[Timestamp], other: Timestamp) =
      if (found.isEmpty || random.nextBoolean()) other else found.head
    Seq.tabulate(count) { i =>
      val t = 4L * i + random.nextInt(30)
      val hi = random.nextInt(4) match {
        case 0 => t
        case 1 if !ahead => t - random.nextInt(60)
        case _ => t + random.nextInt(50)
      }
      val lo = hi - (if (random.nextInt(6) == 0) 0
                     else random.nextInt(if (random.nextInt(3) == 0) 250 else 40))
      // Half of the ends equal the time of a row.
      val from = exact(times.filterNot(_.after(at(lo))).takeRight(1), at(lo))
      val until = exact(times.filterNot(_.before(at(hi))).take(1), at(hi))
      4L * i -> anchor(key(random), at(t), i, from, until)
    }
  }

  /**
   * The possible promise of each anchor: the least start of later anchors, or null. The anchors of
   * a table are in the order of their ends.
   */
  private def promising(
      random: Random,
      rows: Seq[(Long, Row)],
      keyed: Boolean,
      byEnd: Boolean = false
  ): Seq[(Long, Row)] = {
    def group(row: Row) = if (keyed) row.getString(1) else "all"
    def order(row: Row) =
      (row.getTimestamp(if (byEnd) 6 else 2).getTime, row.getTimestamp(5).getTime)
    rows.map { case (arrival, row) =>
      val later = rows.map(_._2).filter(r =>
        group(r) == group(row) && Ordering[(Long, Long)].gteq(order(r), order(row))
      )
      val least = later.map(_.getTimestamp(5).getTime).min
      val gone = if (random.nextInt(5) == 0) null else new Timestamp(least)
      arrival -> Row.fromSeq(row.toSeq.init :+ gone)
    }
  }

  private val last = Seq(
    reading("end", at(1000000L), -1, 0.0),
    anchor("end", at(1000000L), -1, at(1000000L), at(1000000L))
  )

  private val aggregates = Seq(
    count("*").as("n"),
    sum("d").as("total"),
    avg("d").as("mean"),
    min("d").as("least"),
    median(col("d")).as("middle"),
    expr("max_by(i, d)").as("most"),
    collect_list("i").as("list"),
    expr("first(d)").as("first"),
    expr("count(DISTINCT round(d / 100))").as("different"),
    expr("stddev_samp(d)").as("spread"),
    expr("plain_sum(d)").as("merged"),
    expr("sum(d) FILTER (WHERE d > 0)").as("positive"),
    expr("approx_count_distinct(i)").as("about")
  )

  private def query(
      on: Seq[String],
      closed: String,
      obsolete: Boolean
  )(ofSource: DataFrame, ofAnchors: DataFrame): classic.DataFrame = {
    val source =
      ofSource.where("side = 's'").select("k", "t", "i", "d").withWatermark("t", "1 minute")
    val anchored = ofAnchors.where("side = 'a'").select(
      col("k"),
      col("t").as("at"),
      col("i").as("a"),
      col("lo"),
      col("hi"),
      col("gone")
    )
      .withWatermark("at", "1 minute")
    val by =
      if (obsolete)
        windowBy(source, anchored, col("t"), col("lo"), col("hi"), on, closed, col("gone"))
      else windowBy(source, anchored, col("t"), col("lo"), col("hi"), on, closed)
    by.agg(aggregates.head, aggregates.tail: _*).asInstanceOf[classic.DataFrame]
  }

  private def ordered(on: Seq[String], isOrdered: Boolean)(df: DataFrame): classic.DataFrame = {
    val source = df.where("side = 's'").select("k", "t", "i", "d").withWatermark("t", "1 minute")
    val anchored = df.where("side = 'a'")
      .selectExpr("k", "t AS at", "i AS a", "lo", "hi").withWatermark("at", "1 minute")
    windowBy(source, anchored, col("t"), col("lo"), col("hi"), on, ordered = isOrdered)
      .agg(count("*").as("n"), collect_list("i").as("list")).asInstanceOf[classic.DataFrame]
  }

  for ((on, seed) <- Seq(Seq("k"), Nil).zip(40 to 41))
    sampledTest(s"anchors in their order, on $on: each when no earlier anchor waits", most = 4) {
      val random = new Random(seed.toLong)
      val read = readings(random, 80)
      val said = anchors(random, 50, ahead = false, read.map(_._2.getTimestamp(2)))
      val all = (read ++ said).sortBy(_._1).map(_._2)
      val batches = cut(random, all, 60) :+ last
      val restarts = chosen(random, batches, 4)
      def run(isOrdered: Boolean) =
        withConf("spark.muntin.stream.warmMemory" -> (if (seed % 2 == 0) "0" else "100m")) {
          streamed(schema, batches, restarts)(ordered(on, isOrdered))
        }
      val (held, free) = (run(isOrdered = true), run(isOrdered = false))
      assert(answered(held.flatten) === answered(free.flatten))
      def key(r: Row) = if (on.isEmpty) "all" else s"${r.getAs[String]("k")}"
      def turn(r: Row) = Seq("at", "lo", "hi").map(r.getAs[Timestamp](_).getTime)
      import Ordering.Implicits._
      def batchOf(made: Seq[Seq[Row]]) =
        made.zipWithIndex.flatMap { case (rows, b) => rows.map(_ -> b) }
          .filter(_._1.getAs[Int]("a") >= 0)
      val ready = batchOf(free)
      val wanted = ready.map { case (row, _) =>
        val before = ready.filter(o => key(o._1) == key(row) && turn(o._1) <= turn(row))
        row.getAs[Int]("a") -> before.map(_._2).max
      }
      assert(batchOf(held).map { case (r, b) => r.getAs[Int]("a") -> b }.sorted === wanted.sorted)
      assert(wanted.sorted !== ready.map { case (r, b) => r.getAs[Int]("a") -> b }.sorted)
      held.flatten.groupBy(key).values.foreach(rows =>
        assert(rows.map(turn) === rows.map(turn).sorted)
      )
    }

  private def table(rows: Seq[Row]): DataFrame = table(schema, rows)

  private def answered(rows: Seq[Row]): Seq[String] =
    rows.filter(_.getAs[Int]("a") >= 0).sortBy(_.getAs[Int]("a")).map(Rendered(_))

  for {
    ((on, closed, obsolete), seed) <- Seq(
      (Seq("k"), "both", false),
      (Seq("k"), "right", true),
      (Nil, "neither", false),
      (Nil, "left", true)
    ).zipWithIndex
  } {
    val random = new Random(seed.toLong)
    sampledTest(
      s"as the batch has it: on $on, $closed, ${if (obsolete) "with" else "without"} obsolete"
    ) {
      val read = readings(random, 180)
      val times = read.map(_._2.getTimestamp(2)).sortBy(_.getTime)
      val said = anchors(random, 90, ahead = obsolete, times)
      val promised = if (obsolete) promising(random, said, on.nonEmpty) else said
      val all = (read ++ promised).sortBy(_._1).map(_._2)
      val batches = cut(random, all, 120) :+ last
      val restarts = chosen(random, batches, 3)
      // Groups stay in memory, or are read from the state each time.
      val warm = if (seed % 3 == 0) "0" else "100m"
      val made = withConf("spark.muntin.stream.warmMemory" -> warm) {
        streamed(schema, batches, restarts)(df => query(on, closed, obsolete)(df, df))
      }
      assert(made.dropRight(2).exists(_.nonEmpty))
      val rows = table(all ++ last)
      val wanted = query(on, closed, obsolete)(rows, rows).collect().toSeq
      assert(answered(made.flatten) === answered(wanted))
      assert(answered(made.flatten).size === 90)
    }
  }

  for ((obsolete, seed) <- Seq(false, true).zip(20 to 21))
    sampledTest(s"anchors of a table, ${if (obsolete) "with" else "without"} obsolete", most = 2) {
      val random = new Random(seed.toLong)
      val read = readings(random, 150)
      val said = anchors(random, 60, ahead = true, read.map(_._2.getTimestamp(2)))
      val anchored =
        table(
          (if (obsolete) promising(random, said, keyed = true, byEnd = true) else said).map(_._2)
        )
      val batches = cut(random, read.map(_._2), 60) :+ last.take(1)
      def asked(df: DataFrame) = query(Seq("k"), "both", obsolete)(df, anchored)
      val made = streamed(schema, batches, chosen(random, batches, 3))(asked)
      assert(made.dropRight(2).exists(_.nonEmpty))
      assert(answered(made.flatten) === answered(asked(table(read.map(_._2))).collect().toSeq))
      assert(made.flatten.size === 60)
    }

  test("anchors of a stream over a table: each in the micro-batch with the anchor") {
    val random = new Random(22)
    val read = readings(random, 150)
    val said = anchors(random, 60, ahead = false, read.map(_._2.getTimestamp(2))).map(_._2)
    val source = table(read.map(_._2))
    val batches = cut(random, said, 30)
    def asked(df: DataFrame) = query(Seq("k"), "left", obsolete = false)(source, df)
    val made = streamed(schema, batches, chosen(random, batches, 3))(asked)
    assert(made.map(answered) === (batches :+ Nil).map(b =>
      answered(asked(table(b)).collect().toSeq)
    ))
  }

  private def counted(df: DataFrame, obsolete: Boolean): DataFrame = {
    val source = df.where("side = 's'").select("k", "t", "d").withWatermark("t", "1 minute")
    val anchored =
      df.where("side = 'a'").select("k", "lo", "hi", "gone").withWatermark("hi", "1 minute")
    val by = windowBy(source, anchored, col("t"), col("lo"), col("hi"), Seq("k"))
    val said =
      if (!obsolete) by
      else
        windowBy(source, anchored, col("t"), col("lo"), col("hi"), Seq("k"), obsolete = col("gone"))
    said.agg(count("*").as("n"), sum("d").as("total"))
  }

  /** Anchors are ordered by `at`, their own time, although they may end long after it. */
  private def ahead(df: DataFrame): classic.DataFrame = ahead(df, ordered = false)

  private def ahead(df: DataFrame, ordered: Boolean): classic.DataFrame = {
    val source = df.where("side = 's'").select("k", "t", "d").withWatermark("t", "0 seconds")
    val anchored = df.where("side = 'a'").select("k", "t", "lo", "hi", "gone")
      .withColumnRenamed("t", "at").withWatermark("at", "0 seconds")
    windowBy(
      source,
      anchored,
      col("t"),
      col("lo"),
      col("hi"),
      Seq("k"),
      obsolete = col("gone"),
      ordered = ordered
    ).agg(count("*").as("n"), collect_list("d").as("all")).asInstanceOf[classic.DataFrame]
  }

  private def own(from: Long, until: Long) =
    anchor("k", at(from), 0, at(from), at(until), at(from))

  sampledTest("anchors promise in the order of their own times: [10, 30], [12, 14], [20, 21]") {
    val rows = Seq(5, 10, 11, 12, 13, 14, 20, 21, 25, 30, 31, 40, 50).map(t =>
      t -> reading("k", at(t.toLong), t, t.toDouble)
    )
    val anchors = Seq(10 -> own(10, 30), 12 -> own(12, 14), 20 -> own(20, 21), 40 -> own(40, 45))
    val batches = (rows ++ anchors).sortBy(_._1).map { case (_, row) => Seq(row) }
    val first = at(10) -> Seq(10, 11, 12, 13, 14, 20, 21, 25, 30)
    val others = Seq(at(12) -> Seq(12, 13, 14), at(20) -> Seq(20, 21))
    for {
      (restarts, i) <- Seq(Set.empty[Int], batches.indices.toSet).zipWithIndex
      (ordered, j) <- Seq(false, true).zipWithIndex
      if Repeats.selects(i + j, 2)
    } {
      val made = streamed(schema, batches ++ Seq(last, last), restarts)(ahead(_, ordered)).flatten
      val found = made.filter(_.getString(0) == "k")
        .map(r => r.getTimestamp(2) -> r.getSeq[Double](r.size - 1).map(_.toInt))
      val long = if (ordered) first +: others else others :+ first
      assert(found === long :+ at(40) -> Seq(40))
    }
  }

  test("a late anchor is dropped with its promise, and counted") {
    val moved = Seq(reading("k", at(100), 0, 1.0), own(100, 110))
    val late = own(50, 200)
    var dropped = 0L
    val made = streamed(
      schema,
      Seq(moved, Seq(late), Seq(own(120, 130)), last, last),
      seen = p => dropped = math.max(dropped, p.stateOperators.map(_.numRowsDroppedByWatermark).sum)
    )(ahead).flatten
    assert(made.filter(_.getString(0) == "k").map(_.getTimestamp(2)) === Seq(at(100), at(120)))
    assert(dropped === 1L)
  }

  test("an anchor that breaks a promise of an earlier open anchor is an error") {
    val error = intercept[Exception](
      streamed(
        schema,
        Seq(Seq(own(10, 300)), Seq(own(20, 21), anchor("k", at(30), 0, at(19), at(40)))) ++
          Seq(last, last),
        Set(1, 2)
      )(ahead)
    )
    val parameters = parametersOf(error, "MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE")
    assert(parameters("obsolete") === "gone")
    assert(parameters("earlier").startsWith("k = k, at = 2024-01-01 00:00:20"))
  }

  sampledTest("rows before an obsolete time are evicted, without one all rows stay") {
    val batches = Seq.tabulate(8) { b =>
      Seq.tabulate(100) { i =>
        val t = at(100L * b + i)
        reading("k", t, i, 1.0)
      } :+ anchor("k", null, b, at(100L * b), at(100L * b + 10L), at(100L * b))
    }
    def buffered(obsolete: Boolean): Long = {
      var rows = 0L
      val made = streamed(
        schema,
        batches,
        Set(3),
        progress => metric(progress, "numRowsBuffered").foreach(n => rows = n)
      )(counted(_, obsolete).asInstanceOf[classic.DataFrame])
      assert(made.flatten.map(_.getAs[Long]("n")) === Seq.fill(7)(11L))
      rows
    }
    // The last anchor waits, and so do the rows above the watermark.
    assert(buffered(obsolete = false) === 801L)
    val bounded = buffered(obsolete = true)
    assert(bounded < 220L, bounded)
  }

  test(
    "an anchor is emitted when the watermark has passed its end; a later anchor is dropped"
  ) {
    var dropped = 0L
    val made = streamed(
      schema,
      Seq(
        Seq(
          reading("k", at(0), 0, 1.0),
          reading("k", at(10), 1, 2.0),
          anchor("k", null, 0, at(0), at(10))
        ),
        // The watermark is at 9, then at 11: a watermark at an end has not passed the end.
        Seq(reading("k", at(69), 2, 4.0), anchor("k", null, 1, at(69), at(69))),
        Seq(reading("k", at(71), 3, 8.0), anchor("k", null, 2, at(10), at(71))),
        Seq(anchor("k", null, 3, at(0), at(9)), anchor("k", null, 4, at(0), at(11))),
        Seq(reading("k", at(200), 5, 16.0), anchor("k", null, 5, at(0), at(200)))
      ),
      seen = p =>
        p.stateOperators.headOption.foreach(s =>
          dropped = math.max(dropped, s.numRowsDroppedByWatermark)
        )
    )(counted(_, obsolete = false).asInstanceOf[classic.DataFrame])
    assert(made.map(_.map(_.getAs[Double]("total"))) ===
      Seq(Nil, Nil, Seq(3.0), Nil, Seq(3.0, 4.0, 14.0), Nil))
    assert(dropped === 1L)
  }

  sampledTest("two equal windows in one query: both count their late rows", most = 2) {
    var dropped = Map.empty[Long, Long]
    val made = streamed(
      schema,
      Seq(
        Seq(reading("k", at(0), 0, 1.0), anchor("k", null, 0, at(0), at(10))),
        Seq(reading("k", at(100), 1, 2.0), anchor("k", null, 1, at(90), at(100))),
        Seq(reading("k", at(5), 2, 4.0), anchor("k", null, 2, at(0), at(20))),
        Seq(reading("k", at(300), 3, 8.0), anchor("k", null, 3, at(300), at(300)))
      ),
      Set(2),
      p => dropped += p.batchId -> p.stateOperators.map(_.numRowsDroppedByWatermark).sum
    ) { df =>
      val windows = counted(df, obsolete = false)
      windows.union(windows).asInstanceOf[classic.DataFrame]
    }
    assert(made.map(_.map(_.getAs[Double]("total"))) ===
      Seq(Nil, Seq(1.0, 1.0), Nil, Seq(2.0, 2.0), Nil))
    // A row and an anchor, for both.
    assert(dropped.values.sum === 4L)
  }

  test("two sources, one of them quiet for a while, in SQL") {
    val source = new Source(StructType(schema.filter(f => Set("t", "d")(f.name))))
    val anchored = new Source(StructType(schema.filter(f => Set("lo", "hi")(f.name))))
    source.rows.withWatermark("t", "0 seconds").createOrReplaceTempView("quiet_source")
    anchored.rows.withWatermark("hi", "0 seconds").createOrReplaceTempView("quiet_anchors")
    val made = spark.sql(
      "SELECT * FROM window_by(TABLE(quiet_source), TABLE(quiet_anchors), 'sum(d) AS total', 't', " +
        "'lo', 'hi', obsolete => 'lo')"
    )
    val answers = new Answers
    val running = answers.start(made)
    def after(rows: Seq[Row], windows: Seq[Row]): Seq[Double] = {
      source.add(rows)
      anchored.add(windows)
      running.processAllAvailable()
      answers.next().map(_.getDouble(2))
    }
    try {
      assert(after(Seq(Row(at(1), 1.0), Row(at(2), 2.0), Row(at(5), 4.0)), Nil) === Nil)
      assert(after(Nil, Seq(Row(at(1), at(2)), Row(at(2), at(6)))) === Seq(3.0))
      assert(after(Seq(Row(at(6), 8.0), Row(at(100), 16.0)), Nil) === Nil)
      assert(after(Nil, Seq(Row(at(6), at(90)))) === Seq(14.0))
      assert(after(Nil, Seq(Row(at(91), at(91)))) === Seq(8.0))
    } finally running.stop()
  }

  for (ordered <- Seq(false, true)) sampledTest(
    s"windows over the result, ordered => $ordered",
    most = 2
  ) {
    val random = new Random(7)
    val rows = (readings(random, 60).map { case (i, r) => i -> r } ++ Seq.tabulate(40) { i =>
      6L * i -> anchor("k1", at(3L * i), i, at(3L * i - 20L), at(3L * i + 10L), at(3L * i - 20L))
    }).sortBy(_._1).map(_._2)
    def query(df: DataFrame): classic.DataFrame = {
      val marked = df.withWatermark("t", "1 minute")
      val source = marked.where("side = 's'").select("k", "t", "d")
      val anchored =
        marked.where("side = 'a'").select(col("k"), col("t").as("at"), col("i").as("a"))
      val ago = expr("INTERVAL 20 SECONDS")
      windowBy(
        source,
        anchored,
        col("t"),
        col("at") - ago,
        col("at") + expr("INTERVAL 10 SECONDS"),
        Seq("k"),
        obsolete = col("at") - ago,
        ordered = ordered && df.isStreaming
      ).agg(count("*").as("n")).createOrReplaceTempView("counts")
      spark.sql("SELECT a, n, sum(n) OVER (PARTITION BY k ORDER BY at RANGE BETWEEN " +
        "INTERVAL 9 SECONDS PRECEDING AND CURRENT ROW) AS of_four FROM counts")
    }
    val made =
      streamed(schema, rows.grouped(30).toSeq :+ last :+ last, Set(2))(df => query(df)).flatten
    assert(answered(made) === answered(query(table(rows)).collect().toSeq))
    assert(answered(made).size === 40)
  }

  private def failure(rows: Row*): String = failureOf(Seq(rows, last))

  private def failureOf(batches: Seq[Seq[Row]], restarts: Set[Int] = Set.empty): String = {
    val error = intercept[Exception] {
      streamed(schema, batches, restarts)(
        counted(_, obsolete = true).asInstanceOf[classic.DataFrame]
      )
    }
    messages(error)
  }

  test("invalid anchors, and anchors that break a promise, are errors that show them") {
    def has(message: String, parts: String*): Unit =
      parts.foreach(p => assert(message.contains(p), message))
    has(
      failure(anchor("k", null, 0, at(5), at(4))),
      "MUNTIN_ANCHOR_STARTS_AFTER_END",
      "lo = 2024-01-01 00:00:05"
    )
    has(
      failure(anchor("k", null, 0, at(4), null)),
      "MUNTIN_NULL_ANCHOR_TIME",
      "lo = 2024-01-01 00:00:04"
    )
    has(
      failure(anchor("k", null, 0, null, at(4))),
      "MUNTIN_NULL_ANCHOR_TIME",
      "hi = 2024-01-01 00:00:04"
    )
    has(
      failure(anchor("k", null, 0, at(1), at(4), at(3)), anchor("k", null, 1, at(2), at(5))),
      "MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE",
      "k = k, lo = 2024-01-01 00:00:02, hi = 2024-01-01 00:00:05, gone = NULL",
      "k = k, lo = 2024-01-01 00:00:01"
    )
    has(
      failure(anchor("k", null, 0, at(1), at(4), at(3)), anchor("k", null, 1, at(4), at(5), at(2))),
      "MUNTIN_OBSOLETE_DECREASES"
    )
    // A promise is kept longer than its micro-batch and the rows.
    val promised = Seq(anchor("k", null, 0, at(1), at(4), at(3)))
    val moved = Seq(reading("x", at(100), 0, 1.0), anchor("x", null, 1, at(100), at(100)))
    has(
      failureOf(Seq(promised ++ moved, Seq(anchor("k", null, 2, at(2), at(70))), last), Set(1)),
      "MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE",
      "hi = 2024-01-01 00:01:10, gone = NULL",
      "k = k, lo = 2024-01-01 00:00:01"
    )
  }

  test("the analyzer rejects unsupported calls on streams") {
    def invalid(query: => Any, condition: String, parameters: (String, String)*): Unit =
      assertCondition(intercept[AnalysisException](query), condition, parameters: _*)
    val stream = spark.readStream.format("rate").load().selectExpr("timestamp AS t", "value AS x")
    val anchored = stream.selectExpr("t AS at")
    val (marked, markedAnchors) =
      (stream.withWatermark("t", "1 minute"), anchored.withWatermark("at", "1 minute"))
    val static = spark.sql("SELECT now() AS at")
    def by(source: DataFrame, anchors: DataFrame, time: String = "t", start: String = "at") =
      windowBy(source, anchors, expr(time), expr(start), expr("at")).agg(count("*").as("n"))
    val tableOfTimes = static.selectExpr("at AS t")
    invalid(
      windowBy(
        tableOfTimes,
        markedAnchors,
        col("t"),
        col("at"),
        col("at"),
        obsolete = col("at")
      ).agg(count("*").as("n")),
      "MUNTIN_OBSOLETE_OVER_TABLE"
    )
    val multiple = "spark.sql.streaming.statefulOperator.allowMultiple"
    withConf(multiple -> "false") {
      invalid(by(marked, static), "MUNTIN_STATIC_ANCHORS_REQUIRE_SETTING", "setting" -> multiple)
    }
    invalid(
      by(stream, markedAnchors),
      "MUNTIN_TABLE_WITHOUT_WATERMARK",
      "table" -> "source",
      "column" -> "t"
    )
    def withOrder(anchors: DataFrame) = windowBy(
      marked,
      anchors,
      col("t"),
      col("at"),
      col("at"),
      obsolete = col("at"),
      order = col("at")
    ).agg(count("*").as("n"))
    invalid(withOrder(markedAnchors), "MUNTIN_ORDER_ON_STREAM", "stream" -> "anchors")
    invalid(withOrder(static), "MUNTIN_ORDER_ON_STREAM", "stream" -> "source")
    def inOrder(source: DataFrame, anchors: DataFrame) =
      windowBy(
        source,
        anchors,
        col("t"),
        col("at"),
        col("at"),
        obsolete = col("at"),
        ordered = true
      ).agg(count("*").as("n"))
    val withTable = "MUNTIN_ORDERED_WITH_TABLE"
    invalid(inOrder(marked, static), withTable, "table" -> "anchors", "stream" -> "source")
    invalid(
      windowBy(tableOfTimes, markedAnchors, col("t"), col("at"), col("at"), ordered = true)
        .agg(count("*").as("n")),
      withTable,
      "table" -> "source"
    )
    invalid(
      by(marked, anchored),
      "MUNTIN_TABLE_WITHOUT_WATERMARK",
      "table" -> "anchors",
      "column" -> "at"
    )
    invalid(by(marked, markedAnchors, "t + INTERVAL 1 SECOND"), "MUNTIN_COMPUTED_TIME_ON_STREAM")
    withConf("spark.muntin.stream.order" -> "arrival") {
      invalid(by(marked, markedAnchors), "MUNTIN_WINDOW_BY_IN_ORDER_OF_ARRIVAL")
    }
    withConf("spark.muntin.stream.unbounded" -> "error") {
      invalid(by(marked, markedAnchors), "MUNTIN_MISSING_OBSOLETE")
    }
    val logged = Warnings.of(classOf[WindowBy])(by(marked, markedAnchors))
    assert(logged.size === 1 && logged.head.startsWith("[MUNTIN_UNBOUNDED_WINDOW_BY] "))
    // The waiting time of an anchor is unknown, so the result does not have a watermark.
    windowBy(
      marked,
      markedAnchors,
      col("t"),
      col("at"),
      expr("date_trunc('DAY', at) + INTERVAL 1 DAY")
    )
      .agg(count("*").as("n")).createOrReplaceTempView("unmarked")
    assertRefused("MUNTIN_MISSING_WATERMARK", "function" -> "OVER") {
      spark.sql("SELECT sum(n) OVER (ORDER BY at) FROM unmarked")
    }
  }

  test("a clock on a stream") {
    val start = Instant.parse("2026-01-01T00:00:00Z")
    val ticks = functions.streamingClock(spark, start, Duration.ofMillis(700), speed = 2.0)
    assert(ticks.isStreaming)
    val stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
    val windows =
      windowBy(stream, ticks, col("timestamp"), col("at") - expr("INTERVAL 1 HOUR"), col("at"))
    assert(windows.agg(count("*").as("n")).columns.toSeq === Seq("at", "n"))
    val answers = new Answers
    val running = answers.start(ticks)
    var found = Seq.empty[Instant]
    try {
      val until = System.nanoTime + 60000000000L
      while (found.size < 6 && System.nanoTime < until) {
        Thread.sleep(100L)
        found ++= answers.next().map(_.getTimestamp(0).toInstant).sorted
      }
    } finally running.stop()
    assert(found.size >= 6)
    assert(found === found.indices.map(i => start.plusMillis(700L * i)))
  }
}

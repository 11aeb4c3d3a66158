package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import io.muntin.functions._
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.{RunningSpark, Warnings}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/** A drained stream: its results equal a batch over the same rows. */
final class DrainedStreamSuite extends StreamSession {
  import StreamSession._

  private type Query = DataFrame => DataFrame

  /** Rows in order, with ties. A key may be quiet at the end. */
  private def rows(random: Random, count: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val t = i * 7 / 3 + (if (i > count / 2) 90 else 0)
    Row(
      if (i > count - 12) "k0" else s"k${random.nextInt(3)}",
      at(if (random.nextInt(5) == 0) t / 10 * 10.0 else t.toDouble),
      i,
      if (random.nextInt(6) == 0) null else random.nextGaussian() * 1e5
    )
  }.sortBy(_.getTimestamp(1).getTime)

  /** Returns all results of a stream whose last micro-batches drain it. */
  private def drained(batches: Seq[Seq[Row]], drain: Boolean = true)(query: Query): Seq[Row] = {
    val (early, last) = drained(Readings, batches, drain)(query)
    early ++ last
  }

  private def grouped(windows: String*): Query = asked(windows.map { window =>
    s"""SELECT "$window" AS window, k, string(w) AS w, n, total, positive FROM (
       |  SELECT k, $window AS w, count(*) AS n, sum(d) AS total, sum(i) FILTER (WHERE d > 0)
       |    AS positive FROM t GROUP BY k, $window)""".stripMargin
  }.mkString("\nUNION ALL\n"))

  private def over(functions: String*): Query = asked(
    s"SELECT k, t, i, ${functions.mkString(", ")} FROM t"
  )

  private val back = "OVER (PARTITION BY k ORDER BY t, i"
  private val until = "CASE WHEN i % 9 = 0 THEN NULL ELSE t + make_dt_interval(0, 0, 0, i % 31) END"

  private val queries: Seq[(String, Query)] = Seq(
    "field_window, by panes or not" -> grouped(
      "field_window(t, 30, 30)",
      "field_window(t, 45)",
      "field_window(t, 30, 7, open => 'all')",
      "tumble(t, '1 day', '30 seconds')"
    ),
    "field_window, running" -> grouped(
      "field_window(t, 30, 10, every => 4)",
      "field_window(t, 45, every => 20)",
      "field_window(t, every => 50)"
    ),
    "ticks" -> grouped(
      "ticks(t, 'minutely')",
      "ticks(t, 'minutely', span => 3)",
      "ticks(t, 'minutely', closed => 'left')",
      "ticks(t, 'minutely', span => NULL)"
    ),
    "validity" -> grouped(s"validity(t, $until)", s"validity(t, $until, emit => 'element')"),
    "OVER, ahead" -> over(
      s"sum(d) $back ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING)",
      s"lead(i, 2) $back)"
    ),
    "OVER, ahead in time" -> over(
      "count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 20 SECONDS PRECEDING AND " +
        "INTERVAL 20 SECONDS FOLLOWING)"
    ),
    "OVER, peers" -> over(
      "count(*) OVER (PARTITION BY k ORDER BY t)",
      "rank() OVER (PARTITION BY k ORDER BY t)",
      s"sum(d) $back ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
    ),
    "OVER, over the rows of another" -> asked(
      s"""SELECT *, avg(ahead) OVER (PARTITION BY i % 2 ORDER BY t RANGE BETWEEN
         |  INTERVAL 60 SECONDS PRECEDING AND INTERVAL 10 SECONDS FOLLOWING) AS twice
         |FROM (SELECT *, count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN CURRENT ROW AND
         |  INTERVAL 30 SECONDS FOLLOWING) AS ahead FROM t)""".stripMargin
    )
  )

  for {
    ((name, query), seed) <- queries.zipWithIndex
    orders =
      if (name.startsWith("OVER, over")) Seq("watermark") else Seq("watermark", "arrival")
    order <- orders
  } sampledTest(s"$name, in order of $order: equals a batch") {
    val random = new Random(seed.toLong)
    val all = rows(random, 80)
    val delay = if (random.nextBoolean()) "0 seconds" else "1 minute"
    val batches = cut(random, all, 30, 20)
    val found = withConf(MuntinConf.StreamOrder.key -> order) {
      drained(batches)(df => query(df.withWatermark("t", delay)))
    }
    val expected = query(table(Readings, all)).collect().toSeq
    assert(expected.size > 10)
    assert(shown(found) === shown(expected))
  }

  test("cut at every n-th row of all groups") {
    val all = rows(new Random(5L), 60)
    val query = grouped(s"validity(t, $until, dump_at => 4)")
    val found = drained(cut(new Random(1L), all, 30, 20)) { df =>
      query(df.withWatermark("t", "10 seconds"))
    }
    assert(shown(found) === shown(query(table(Readings, all)).collect().toSeq))
  }

  private def anchored(ordered: Boolean)(df: DataFrame): DataFrame = {
    val anchors = df.where("i % 5 = 0")
      .selectExpr("k", "t AS at", "t - INTERVAL 20 SECONDS AS lo", "t + INTERVAL 1 MINUTE AS hi")
    windowBy(
      df,
      anchors,
      col("t"),
      col("lo"),
      col("hi"),
      Seq("k"),
      obsolete = col("lo"),
      ordered = ordered && df.isStreaming // a table needs an order
    ).agg(count("*").as("n"), sum("d").as("total")).asInstanceOf[DataFrame]
  }

  for (ordered <- Seq(false, true))
    test(s"window_by: anchors with open windows, ordered => $ordered") {
      val all = rows(new Random(6L), 60)
      val query = anchored(ordered) _
      val found = drained(cut(new Random(1L), all, 30, 20))(marked(query))
      assert(shown(found) === shown(query(table(Readings, all)).collect().toSeq))
      if (ordered) {
        def times(k: String) = found.filter(_.getString(0) == k).map(_.getTimestamp(1).getTime)
        Seq("k0", "k1", "k2").foreach(k => assert(times(k) === times(k).sorted))
      }
    }

  private val thirty = grouped("field_window(t, 30, 30)")

  private def marked(query: Query): Query = df => query(df.withWatermark("t", "0 seconds"))

  private val six =
    Seq(10, 20, 40, 41, 50, 65).zipWithIndex.map { case (t, i) => Row("k", at(t.toLong), i, 1.0) }

  test("drain => true in the query, and drain => false against the setting") {
    def counts(more: String, drain: Boolean) = {
      val query = asked(
        s"SELECT w.open, n FROM (SELECT field_window(t, 30, 30$more) AS w, count(*) AS n FROM t " +
          s"GROUP BY field_window(t, 30, 30$more))"
      )(_)
      drained(Seq(six), drain)(marked(query)).map(_.getLong(1))
    }
    val (off, on) = (false, true)
    assert(counts("", off) === Seq(2L, 3L))
    assert(counts("", on) === Seq(2L, 3L, 1L))
    assert(counts(", drain => true", off) === Seq(2L, 3L, 1L))
    assert(counts(", drain => false", on) === Seq(2L, 3L))
  }

  test("a stream without an end cannot be drained") {
    assume(RunningSpark.knowsTriggers, "it is refused in its first micro-batch")
    val source = new Source(Readings)
    def refused(condition: String, trigger: Trigger): Unit =
      assertRefused(condition, "drain" -> "spark.muntin.stream.drain=true") {
        new Answers().start(marked(thirty)(source.rows), trigger).stop()
      }
    withConf(MuntinConf.StreamDrain.key -> "true") {
      Seq(Trigger.ProcessingTime(0L), Trigger.ProcessingTime("1 second")).foreach { trigger =>
        refused("MUNTIN_DRAIN_OF_ENDLESS_STREAM", trigger)
      }
      withConf("spark.sql.streaming.noDataMicroBatches.enabled" -> "false") {
        refused("MUNTIN_DRAIN_WITHOUT_EMPTY_MICRO_BATCH", Trigger.AvailableNow())
      }
      // Muntin does not check other queries.
      new Answers().start(source.rows).stop()
    }
    val window = "field_window(t, 30, 30, drain => true)"
    val error = intercept[AnalysisException] {
      val trigger = Trigger.ProcessingTime(0L)
      new Answers().start(marked(grouped(window))(source.rows), trigger).stop()
    }
    assert(parametersOf(error, "MUNTIN_DRAIN_OF_ENDLESS_STREAM")("drain").contains("drain => true"))
  }

  test("rows after the end are an error, also if the query runs again") {
    val source = new Source(Readings)
    val answers = new Answers()
    def run(): Unit = withConf(MuntinConf.StreamDrain.key -> "true") {
      answers.start(marked(thirty)(source.rows), Trigger.AvailableNow()).awaitTermination()
    }
    source.add(six)
    run()
    assert(answers.next().size === 3)
    run()
    assert(answers.next().isEmpty)
    source.add(Seq(Row("k", at(70L), 6, 1.0)))
    assertCondition(intercept[Exception](run()), "MUNTIN_ROW_AFTER_DRAINED_STREAM")
  }

  // A micro-batch without rows has another plan, but the checkpoint still matches.
  for {
    (name, query) <- Seq[(String, Query)](
      "field_window, by panes" -> thirty,
      "field_window" -> grouped("field_window(t, 30, 30, every => 20)"),
      "validity" -> grouped(s"validity(t, $until)"),
      "OVER" -> over(s"lead(i) $back)"),
      "window_by" -> anchored(ordered = false)
    )
  } sampledTest(s"$name: killed while it drains, it drains when it resumes") {
    val source = new Source(Readings)
    val checkpoint = temporary()
    val (killed, goesOn) = (new Answers(checkpoint), new Answers(checkpoint))
    def run(answers: Answers, fails: Long => Boolean = _ => false): Unit =
      withConf(MuntinConf.StreamDrain.key -> "true") {
        val frame = marked(query)(source.rows)
        answers.start(frame, Trigger.AvailableNow(), fails).awaitTermination()
      }
    source.add(six)
    val last = 2L
    assert(messages(intercept[Exception](run(killed, _ == last))).contains("killed"))
    val (_, before) = killed.last
    assert(before.nonEmpty)
    run(goesOn)
    assert(goesOn.last === ((last, before)))
  }

  test("a query with Spark's aggregation cannot be drained, because it would keep its rows") {
    val source = new Source(Readings)
    val error = withConf(MuntinConf.StreamDrain.key -> "true") {
      source.add(six)
      intercept[Exception] {
        val windowed = marked(df =>
          asked(
            "SELECT k, t, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM t"
          )(df).groupBy(window(col("t"), "1 minute")).agg(max("n"))
        )
        new Answers().start(windowed(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
    }
    assertCondition(
      error,
      "MUNTIN_DRAIN_WITH_STATEFUL_OPERATOR",
      "drain" -> "spark.muntin.stream.drain=true",
      "operator" -> "StateStoreSave"
    )
  }

  test("no rows in, no rows out") {
    assert(drained(Seq(Nil))(marked(thirty)).isEmpty)
    // Like every micro-batch, the last micro-batch requires new rows in the run of the query.
    val source = new Source(Readings)
    val answers = new Answers()
    def run(): Unit =
      answers.start(marked(thirty)(source.rows), Trigger.AvailableNow()).awaitTermination()
    // On a new checkpoint no rows wait.
    def said(): Seq[String] = Warnings.of(classOf[StreamProvider]) {
      withConf(MuntinConf.StreamDrain.key -> "true")(run())
      spark.sparkContext.listenerBus.waitUntilEmpty()
    }.filter(_.contains("[MUNTIN_NOTHING_DRAINED]"))
    assert(said() === Nil)
    source.add(six)
    run()
    val warned = said()
    assert(warned.size === 1 && warned.head.contains("mt.pending(df, "), warned)
    assert(answers.next().size === 2)
    source.add(Seq(Row("k", at(66L), 6, 1.0)))
    assert(said() === Nil)
    assert(answers.next().size === 1)
  }
}

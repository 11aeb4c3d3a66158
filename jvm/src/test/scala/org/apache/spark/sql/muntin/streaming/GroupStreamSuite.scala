package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.Instant
import java.time.temporal.ChronoUnit.{MICROS, MILLIS}

import scala.util.Random

import org.apache.spark.sql.{Encoder, Encoders, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.{col, expr, lit, udaf}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.types._

/** Windows of groups over a stream: the results equal a batch with drain => false. */
final class GroupStreamSuite extends StreamSession {
  import GroupStreamSuite._

  override protected def isCompiled: Boolean = true

  import StreamSession._

  override protected val origin: Instant = Instant.parse("2024-03-10T06:55:00Z")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("decayed", udaf(Decayed)): Unit
  }

  /**
   * Rows of a few keys, out of order by up to 30 seconds, with ties also at the ends of windows,
   * and with pauses in which some keys, or all, are quiet.
   */
  private def rows(random: Random, count: Int): Seq[Row] = {
    var time = 0.0
    Seq.tabulate(count) { i =>
      time += (if (random.nextInt(25) == 0) 100.0 else random.nextInt(6).toDouble)
      val t = time + random.nextInt(30)
      Row(
        // The third key is quiet from time to time.
        if (random.nextInt(20) == 0) null
        else s"k${if (i % 40 < 15) random.nextInt(2) else random.nextInt(3)}",
        at(if (random.nextInt(3) == 0) math.floor(t / 10.0) * 10.0
        else t + random.nextInt(3) * 1e-6),
        i,
        if (random.nextInt(6) == 0) null
        else random.nextGaussian() * 1e3 * math.pow(10, random.nextInt(6).toDouble)
      )
    }
  }

  /** Aggregates that cannot be aggregated by pane. */
  private val ofRows = Seq(
    "count(*)",
    "sum(d)",
    "median(d)",
    "sort_array(collect_list(i))",
    "count(DISTINCT cast(d AS int) % 3)",
    "decayed(i)"
  )

  private val ofPanes =
    Seq("count(*)", "avg(d)", "min(d)", "var_pop(d)", "sum(i) FILTER (WHERE d > 0)")

  private def asked(df: DataFrame, window: String, functions: Seq[String]): DataFrame = {
    val all = functions.zipWithIndex.map { case (f, i) => expr(f).as(s"a$i") }
    df.groupBy(col("k"), expr(window).as("w")).agg(all.head, all.tail: _*)
      .select(lit(window).as("window"), col("*"))
      .withColumn("w", col("w").cast("string"))
  }

  private def asked(df: DataFrame, windows: Seq[String], functions: Seq[String]): DataFrame =
    windows.map(asked(df, _, functions)).reduce(_.union(_))

  /** The results of a batch, when no later row can be at or before `end`. */
  private def wanted(all: Seq[Row], end: Instant)(query: DataFrame => DataFrame): Seq[String] = {
    val last = Row("end", Timestamp.from(end.plus(1, MICROS)), -1, 0.0)
    shown(query(table(Readings, all :+ last)).where("k IS DISTINCT FROM 'end'").collect().toSeq)
  }

  private def undrained(window: String): String = window.dropRight(1) + ", drain => false)"

  private def check(windows: Seq[String], functions: Seq[String], seed: Int, panes: Boolean): Unit =
    sampledTest(
      s"${windows.mkString(", ")}: ${functions.head}, …, $seed${if (panes) ", by panes" else ""}"
    ) {
      val random = new Random(seed.toLong)
      val all = rows(random, 90)
      // Time reaches this point, past every row and not past every window.
      val end = all.map(
        _.getTimestamp(1).toInstant
      ).max.plusSeconds(1L + random.nextInt(40)).truncatedTo(MILLIS)
      val batches =
        cut(random, all, 40, 10) :+ Seq(Row("end", Timestamp.from(end.plusSeconds(60)), -1, 0.0))
      val restarts = chosen(random, batches, 3)
      // Groups that stay in memory continue without reading their state.
      val warm = if (seed % 2 == 0) "0" else "64m"
      val found = withConf(
        MuntinConf.PanesEnabled.key -> panes.toString,
        MuntinConf.StreamWarmMemory.key -> warm
      ) {
        streamed(Readings, batches, restarts) { df =>
          asked(df.withWatermark("t", "1 minute"), windows, functions)
        }.flatten
      }
      val expected = wanted(all, end) { table =>
        windows.map(w => asked(table, undrained(w), functions).withColumn("window", lit(w)))
          .reduce(_.union(_))
      }
      assert(expected.size > 10 * windows.size)
      assert(shown(found) === expected)
    }

  private val single = Seq("field_window(t, 30, 30)", "field_window(t, 45)", "ticks(t, 'minutely')")

  private val several = Seq(
    "sessions(t, 5)",
    "sessions(t, '12 seconds')",
    "field_window(t, 30, 10, 3)",
    "field_window(t, 30, 7, open => 'all')",
    "field_window(t, 30, 10, every => 4)",
    "field_window(t, 20, 20, every => 5)",
    "tumble(t, '20 seconds')",
    "hop(t, '10 seconds', '25 seconds')",
    // Days begin five minutes after the first row, when the clocks change.
    "tumble(t, '1 day', '3 hours', 'America/New_York')",
    "field_window(t, 45, every => 20)",
    "ticks(t, 'minutely', span => 3)",
    "ticks(t, '*/3 * * * *', span => 2, closed => 'left')",
    "ticks(t, '*/7 1-3 * * *', 'America/New_York')"
  )

  check(single, ofRows, seed = 1, panes = false)
  check(several, ofRows, seed = 2, panes = false)
  check(single ++ several, ofPanes, seed = 3, panes = true)
  check(single.take(1) ++ several.take(2), ofPanes, seed = 4, panes = false)
  check(
    Seq("field_window(t, every => 50)", "ticks(t, 'minutely', span => NULL)"),
    Seq("count(*)", "sum(d)", "max(i)", "var_pop(d)", "decayed(i)"),
    seed = 5,
    panes = false
  )

  for (order <- Seq("watermark", "arrival"); panes <- Seq(true, false))
    sampledTest(
      s"StreamBase's trades: the tuple that releases each window, in order of $order, panes $panes"
    ) {
      val symbols = StructType(Readings.take(3))
      // The windows from the epoch on.
      val batches = Trades.map { case (t, k, i) => Seq(Row(k, new Timestamp(t * 1000L), i)) }
      val found = withConf(
        MuntinConf.StreamOrder.key -> order,
        MuntinConf.PanesEnabled.key -> panes.toString
      ) {
        streamed(symbols, batches) { df =>
          df.withWatermark("t", "0 seconds")
            .groupBy(col("k"), expr("field_window(t, 30, 30) AS w")).agg(expr("sum(i) AS total"))
            .select(col("k"), col("w.open").cast("long"), col("total"))
        }
      }
      assert(found.map(shown) === TradesClosed)
    }

  test("a quiet group has its ticks as time passes, with empty aggregates") {
    def row(k: String, t: Double) = Seq(Row(k, at(t), 1, 1.0))
    val found = streamed(
      Readings,
      Seq(row("a", 10), row("b", 70), row("b", 200), row("b", 210), row("a", 500)),
      Set(2, 3)
    ) { df =>
      df.withWatermark("t", "0 seconds").groupBy(col("k"), expr("ticks(t, 'minutely') AS w"))
        .agg(expr("count(*) AS n"), expr("sum(d)"))
        .select(col("k"), expr("minute(w.end)"), col("n"), col("sum(d)"))
    }
    assert(found.map(shown) === Seq(
      Nil,
      Seq("[a, 56, 1, 1.0]"),
      Seq("[a, 57, 0, null]", "[a, 58, 0, null]", "[b, 57, 1, 1.0]", "[b, 58, 0, null]"),
      Nil,
      (59 to 63).flatMap { m =>
        Seq(s"[a, ${m % 60}, 0, null]", s"[b, ${m % 60}, ${if (m == 59) "2, 2.0" else "0, null"}]")
      }.sorted,
      Nil
    ))
  }

  sampledTest("a window's column has a watermark, which Spark's own aggregation uses") {
    val all = rows(new Random(5), 100)
    val end = all.map(_.getTimestamp(1).toInstant).max.truncatedTo(MILLIS).plusSeconds(25)
    val batches =
      cut(
        new Random(5),
        all,
        40,
        10
      ) :+ Seq(Row("end", Timestamp.from(end.plusSeconds(60)), -1, 0.0))
    def query(df: DataFrame, window: String): DataFrame =
      df.groupBy(col("k"), expr(window).as("w")).agg(expr("count(*) AS n"))
        .groupBy("w").agg(expr("count(*)"), expr("sum(n)"))
    val found = streamed(Readings, batches, Set(2)) { df =>
      query(df.withWatermark("t", "1 minute"), "field_window(t, 30, 30)")
    }.flatten
    val expected = query(table(Readings, all), "field_window(t, 30, 30)").collect().toSeq
      .filter(r => !r.getStruct(0).getTimestamp(1).toInstant.isAfter(end))
    assert(expected.nonEmpty && shown(found) === shown(expected))
  }

  test("late rows are dropped and counted, with and without panes; state shrinks with time") {
    val some = Seq.tabulate(300)(i => Row("k", at(i / 10.0), i, 1.0))
    def row(t: Double) = Seq(Row("k", at(t), 0, 1.0))
    Seq(true, false).foreach { panes =>
      var dropped = Map.empty[Long, Long]
      var kept = Map.empty[Long, Long]
      val found = withConf(MuntinConf.PanesEnabled.key -> panes.toString) {
        streamed(
          Readings,
          Seq(some, row(1000), row(5) ++ row(990), row(3000)),
          seen = progress =>
            progress.stateOperators.headOption.foreach { operator =>
              dropped += progress.batchId -> operator.numRowsDroppedByWatermark
              kept += progress.batchId -> operator.customMetrics.get("numRowsBuffered").longValue
            }
        ) { df =>
          df.withWatermark("t", "1 minute").groupBy(expr("field_window(t, 10, 10) AS w"))
            .agg(expr("count(*) AS n"))
        }
      }.flatten
      assert(found.map(_.getLong(1)) === Seq(100, 100, 100, 1, 1))
      assert(dropped.values.sum === 1L)
      // The first micro-batch has a partial for each pane and task that reads it.
      assert(if (panes) kept(0) <= 6L else kept(0) === 300L)
      assert(kept.maxBy(_._1)._2 === 1L)
    }
  }

  private def query(window: String, watermark: Boolean): Any =
    streamed(Readings, Nil) { df =>
      (if (watermark) df.withWatermark("t", "1 minute") else df)
        .groupBy(col("k"), expr(window)).agg(expr("sum(d)"), expr("collect_list(d)"))
    }

  private def refused(window: String, watermark: Boolean = true)(
      condition: String,
      parameters: (String, String)*
  ): Unit = assertRefused(condition, parameters: _*)(query(window, watermark))

  test("windows that a stream does not support, or that grow without bound, are rejected") {
    refused("field_window(t, 30)", watermark = false)(
      "MUNTIN_MISSING_WATERMARK",
      "function" -> "field_window",
      "time" -> "t"
    )
    refused("ticks(t, 'daily')", watermark = false)(
      "MUNTIN_MISSING_WATERMARK",
      "function" -> "ticks",
      "time" -> "t"
    )
    refused("field_window(i, 30)")("MUNTIN_NUMERIC_TIME_ON_STREAM", "type" -> "INT")
    refused("ticks(cast(t AS date), 'daily')")("MUNTIN_INVALID_TIME_ON_STREAM", "type" -> "DATE")
    refused("field_window(t + INTERVAL 1 HOUR, 30)")("MUNTIN_COMPUTED_TIME_ON_STREAM")
    assert(refusal(query("field_window(t)", watermark = true)).contains("size"))
    Seq("field_window(t, every => 30)", "ticks(t, 'daily', span => NULL)").foreach { window =>
      refused(window)("MUNTIN_UNBOUNDED_WINDOWS_ON_STREAM", "aggregate" -> "collect_list(d)")
    }
  }

  test("a row without a time is shown") {
    Seq(true, false).foreach { panes =>
      val error = intercept[StreamingQueryException] {
        withConf(MuntinConf.PanesEnabled.key -> panes.toString) {
          streamed(Readings, Seq(Seq(Row("lost", null, 7, 1.0)))) { df =>
            df.withWatermark("t", "1 minute").groupBy(col("k"), expr("field_window(t, 30, 30)"))
              .agg(expr("count(*)"))
          }
        }
      }
      val found = parametersOf(error, "MUNTIN_NULL_TIME_ON_STREAM")
      assert(found("function") === "field_window")
      assert(found("row").startsWith("k = lost"))
    }
  }
}

object GroupStreamSuite {

  /** A result that depends on the order in which rows are merged. */
  object Decayed extends Aggregator[Int, Double, Double] {
    override def zero: Double = 0.1
    override def reduce(sum: Double, value: Int): Double = sum + value / 3.0
    override def merge(a: Double, b: Double): Double = a + b
    override def finish(sum: Double): Double = sum
    override def bufferEncoder: Encoder[Double] = Encoders.scalaDouble
    override def outputEncoder: Encoder[Double] = Encoders.scalaDouble
  }
}

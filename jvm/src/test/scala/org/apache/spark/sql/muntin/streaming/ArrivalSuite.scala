package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.Instant

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** `spark.muntin.stream.order=arrival`: each row has its result in the micro-batch with the row. */
final class ArrivalSuite extends StreamSession {
  import StreamSession.{Trades, TradesClosed}

  override protected def settings: Map[String, String] =
    super.settings + ("spark.muntin.stream.order" -> "arrival")

  private val trades = StructType(Seq(
    StructField("ticker", StringType),
    StructField("amount", IntegerType),
    StructField("t", TimestampType)
  ))

  private def timeOf(clock: String): Timestamp =
    Timestamp.from(Instant.parse(s"2024-01-01T${clock}Z"))

  private def trade(ticker: String, amount: Integer, clock: String): Row =
    Row(ticker, amount, timeOf(s"$clock:00"))

  private def bound(clock: String): Row = trade(null, null, clock)

  /** The rows emitted after each row. */
  private def oneByOne(
      rows: Seq[Row],
      sql: String,
      watermark: Option[String] = None,
      restarts: Set[Int] = Set.empty
  )
      : Seq[Seq[Row]] =
    streamed(trades, rows.map(Seq(_)), restarts) { df =>
      asked(sql)(watermark.fold(df)(df.withWatermark("t", _)))
    }

  test("trades within an hour, and bounds at their places") {
    val rows = Seq(
      trade("IBM", 10, "10:00"),
      trade("ORCL", 20, "10:10"),
      bound("10:15"),
      trade("ORCL", 15, "10:25"),
      trade("IBM", 30, "11:05"),
      bound("11:10")
    )
    val sql =
      """SELECT ticker, t, sum(amount) OVER (PARTITION BY ticker ORDER BY t
        |  RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW) AS hourly FROM t""".stripMargin
    val sums = Seq[Any](10L, 20L, null, 35L, 30L, null)
    val answers = rows.zip(sums).map { case (r, s) => Seq(Row(r.get(0), r.get(2), s)) }
    for ((watermark, restarts) <- Seq(None -> Set(3, 4), Some("0 seconds") -> Set.empty[Int])) {
      val out = oneByOne(rows, sql, watermark, restarts)
      assert(out.take(rows.size) === answers)
      assert(out.drop(rows.size).flatten.isEmpty)
    }
  }

  sampledTest("a frame that looks ahead waits for the row or the bound that passes it") {
    val rows = Seq(
      trade("IBM", 1, "10:00"),
      trade("ORCL", 2, "10:05"),
      trade("IBM", 4, "10:10"),
      // At the end of the first row's frame, where another row may still be.
      trade("IBM", 8, "10:10"),
      trade("IBM", 16, "10:11"),
      bound("10:30")
    )
    val sql =
      """SELECT ticker, amount, sum(amount) OVER (PARTITION BY ticker ORDER BY t
        |  RANGE BETWEEN CURRENT ROW AND INTERVAL 10 MINUTES FOLLOWING) AS next FROM t""".stripMargin
    def told(out: Seq[Seq[Row]]) =
      out.map(_.map(r => (r.get(1), r.get(2))).sortBy(_.toString).toList)
    val first = Seq(Nil, Nil, Nil, Nil, List((1, 13L)))
    // The bound releases waiting rows in every group; the bound itself waits.
    val rest = Set((2, 2L), (4, 28L), (8, 28L), (16, 16L))
    for (watermark <- Seq(None, Some("1 minute"), Some("0 seconds"))) {
      val out = told(oneByOne(rows, sql, watermark))
      assert(out.take(5) === first)
      assert(out(5).toSet === rest)
      assert(out.drop(6).flatten.isEmpty)
    }
  }

  test("a row of any group advances time for all groups, in the micro-batch with the row") {
    val rows = Seq(
      trade("IBM", 1, "10:00"),
      trade("ORCL", 2, "10:05"),
      trade("IBM", 4, "10:20"),
      trade("ORCL", 8, "10:40")
    )
    val sums = oneByOne(
      rows,
      """SELECT ticker, sum(amount) OVER (PARTITION BY ticker ORDER BY t
        |  RANGE BETWEEN CURRENT ROW AND INTERVAL 10 MINUTES FOLLOWING) AS next FROM t""".stripMargin,
      restarts = Set(1, 3)
    )
    assert(sums.map(_.toSet) === Seq(
      Set(),
      Set(),
      Set(Row("IBM", 1L), Row("ORCL", 2L)),
      Set(Row("IBM", 4L)),
      Set()
    ))
    val windows = oneByOne(
      rows,
      """SELECT ticker, unix_seconds(w.open) % 86400 / 60, sum FROM (
        |  SELECT ticker, field_window(t, 600, 600) AS w, sum(amount) AS sum FROM t
        |  GROUP BY ticker, field_window(t, 600, 600))""".stripMargin,
      restarts = Set(2)
    )
    assert(windows.map(_.toSet) === Seq(
      Set(),
      Set(),
      Set(Row("IBM", 600.0, 1L), Row("ORCL", 600.0, 2L)),
      Set(Row("IBM", 620.0, 4L)),
      Set()
    ))
  }

  sampledTest("also without a watermark, the state of a group is evicted as time passes") {
    var groups = Map.empty[Long, Long]
    streamed(
      trades,
      Seq.tabulate(30)(i => Seq(trade(s"t$i", i, f"10:$i%02d"))),
      Set(7),
      seen = p => metric(p, "numGroups").foreach(n => groups += p.batchId -> n)
    )(asked(
      """SELECT sum(amount) OVER (PARTITION BY ticker ORDER BY t RANGE INTERVAL 3 MINUTES PRECEDING)
        |FROM t""".stripMargin
    )): Unit
    assert(groups.size >= 29 && groups.values.max <= 5L, groups)
  }

  test("the table of a field dimension, tuple by tuple, as a sum over the last 30 seconds") {
    val rows = Seq(
      ("AMAT", 100, "00:00:10") -> 100L,
      ("AMAT", 200, "00:00:20") -> 300L,
      ("AMAT", 100, "00:00:40") -> 300L,
      ("AMAT", 100, "00:00:41") -> 400L,
      ("INTC", 100, "00:00:45") -> 100L,
      ("AMAT", 200, "00:00:50") -> 400L,
      ("INTC", 300, "00:00:55") -> 400L,
      ("AMAT", 100, "00:01:05") -> 500L
    )
    val out = oneByOne(
      rows.map { case ((symbol, volume, clock), _) => Row(symbol, volume, timeOf(clock)) },
      """SELECT ticker, amount, framed(sum(amount), closed => 'right') OVER (PARTITION BY ticker ORDER BY t
        |  RANGE BETWEEN INTERVAL 30 SECONDS PRECEDING AND CURRENT ROW) AS s FROM t""".stripMargin
    )
    assert(out.take(rows.size) === rows.map { case ((symbol, volume, _), s) =>
      Seq(Row(symbol, volume, s))
    })
  }

  test("Window(-1, 2) is emitted when message +2 arrives, with the time of its anchor") {
    val messages = (1 to 6).map(i => Row("m", i, timeOf(s"00:00:0$i")))
    val out = oneByOne(
      messages,
      """SELECT amount, framed(collect_list(amount), complete => true) OVER (PARTITION BY ticker ORDER BY t
        |  ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) AS w FROM t""".stripMargin,
      restarts = Set(3)
    ).map(_.map(r => (r.getInt(0), Option(r.getSeq[Int](1)).map(_.toList))))
    // No message precedes the first. Its result is emitted when the second message after it
    // arrives.
    assert(out.take(6) === Seq(
      Nil,
      Nil,
      Seq((1, None)),
      Seq((2, Some(List(1, 2, 3, 4)))),
      Seq((3, Some(List(2, 3, 4, 5)))),
      Seq((4, Some(List(3, 4, 5, 6))))
    ))
    assert(out.drop(6).flatten.isEmpty)
  }

  test(
    "rows at one time that arrive one after the other: each sees only the earlier rows"
  ) {
    val rows = Seq(
      trade("IBM", 1, "10:00"),
      trade("IBM", 2, "11:00"),
      trade("IBM", 4, "11:00"),
      trade("IBM", 8, "11:00"),
      trade("IBM", 16, "12:00")
    )
    val sql =
      """SELECT amount,
        |  sum(amount) OVER (PARTITION BY ticker ORDER BY t
        |    RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW) AS s,
        |  count(*) OVER (PARTITION BY ticker ORDER BY t RANGE CURRENT ROW) AS peers,
        |  rank() OVER (PARTITION BY ticker ORDER BY t) AS rank,
        |  dense_rank() OVER (PARTITION BY ticker ORDER BY t) AS dense FROM t""".stripMargin
    val wanted = Seq(
      Row(1, 1L, 1L, 1, 1),
      Row(2, 3L, 1L, 2, 2),
      Row(4, 7L, 2L, 2, 2),
      Row(8, 15L, 3L, 2, 2),
      Row(16, 30L, 1L, 5, 3)
    )
    for ((watermark, restarts) <- Seq(None -> Set(2, 3), Some("2 hours") -> Set.empty[Int]))
      assert(oneByOne(rows, sql, watermark, restarts).take(5) === wanted.map(Seq(_)))
  }

  private val running =
    "SELECT ticker, amount, sum(amount) OVER (PARTITION BY ticker ORDER BY t ROWS 1 PRECEDING) AS s FROM t"

  test("a row whose time is below an earlier row's time is an error that shows both") {
    val error = intercept[Exception](oneByOne(
      Seq(trade("IBM", 1, "10:10"), trade("ORCL", 2, "10:11"), trade("IBM", 4, "10:10")),
      running
    ))
    assertCondition(
      error,
      "MUNTIN_ROW_OUT_OF_ORDER",
      "function" -> "OVER",
      "time" -> "2024-01-01 10:10:00",
      "newest" -> "2024-01-01 10:11:00"
    )
    assert(parametersOf(error, "MUNTIN_ROW_OUT_OF_ORDER")("row").contains("amount = 4"))
  }

  test("the rows of one micro-batch are sorted") {
    val rows = Seq(
      Seq(trade("IBM", 1, "10:10"), trade("IBM", 2, "10:09"), trade("ORCL", 8, "10:08")),
      Seq(trade("IBM", 4, "10:10"))
    )
    assert(streamed(trades, rows)(asked(running)).map(_.map(r => (r.get(1), r.get(2))).toSet) ===
      Seq(Set((2, 2L), (1, 3L), (8, 8L)), Set((4, 5L)), Set()))
  }

  test("or is dropped, and counted") {
    withConf("spark.muntin.stream.outOfOrder" -> "drop") {
      var most = 0L
      val out = streamed(
        trades,
        Seq(
          trade("IBM", 1, "10:10"),
          trade("IBM", 2, "10:09"),
          trade("IBM", 4, "10:11")
        ).map(Seq(_)),
        seen = p => most = math.max(most, metric(p, "numRowsOutOfOrder").getOrElse(0L))
      )(asked(running))
      assert(out.map(_.map(_.get(2))).take(3) === Seq(Seq(1L), Nil, Seq(5L)))
      assert(most === 1L)
    }
  }

  test(
    "in order, in random micro-batches: the results of a batch, in the micro-batch with the row"
  ) {
    val random = new Random(5L)
    val rows = Seq.tabulate(120) { i =>
      Row(
        s"k${random.nextInt(3)}",
        i,
        at(i * 7L)
      )
    }
    val batches = cut(random, rows, 40)
    val query = asked(
      """SELECT amount,
          |  avg(amount) OVER (PARTITION BY ticker ORDER BY t RANGE INTERVAL 5 MINUTES PRECEDING) AS a,
          |  median(amount) OVER (PARTITION BY ticker ORDER BY t ROWS 9 PRECEDING) AS b,
          |  sum(amount) OVER (PARTITION BY ticker ORDER BY t) AS c,
          |  since(collect_list(amount), amount % 10 = 0) OVER (PARTITION BY ticker ORDER BY t) AS d,
          |  sliding(max(amount), 4, amount % 2 = 0) OVER (PARTITION BY ticker ORDER BY t) AS e
          |FROM t""".stripMargin
    ) _
    val wanted = query(table(trades, rows)).collect()
      .map(r => r.getInt(0) -> Rendered(r)).toMap
    val out = streamed(trades, batches, Set(1, 3))(query(_))
    assert(out.take(batches.size).map(_.map(Rendered(_)).sorted) ===
      batches.map(_.map(r => wanted(r.getInt(1))).sorted))
  }

  test("windows that need a watermark in the order of time need none here") {
    withConf("spark.muntin.stream.order" -> "watermark") {
      assertRefused("MUNTIN_MISSING_WATERMARK", "function" -> "OVER", "time" -> "t") {
        oneByOne(Nil, running)
      }
    }
  }

  for (kind <- Seq("smallint", "int", "bigint", "decimal(9,2)", "float", "double")) {
    def schema = StructType.fromDDL(s"symbol string, volume int, time $kind")
    def value(time: Int): Any = kind match {
      case "smallint" => time.toShort
      case "int" => time
      case "bigint" => time.toLong
      case "float" => time.toFloat
      case "double" => time.toDouble
      case _ => new java.math.BigDecimal(time).setScale(2)
    }
    def rows = Trades.map { case (time, symbol, volume) => Row(symbol, volume, value(time)) }

    sampledTest(s"numbers are times: StreamBase's table, whose Time is $kind, tuple by tuple") {
      val found = streamed(schema, rows.map(Seq(_)), Set(2, 5))(asked(
        """SELECT symbol, CAST(w.open AS int), total FROM (
          |  SELECT symbol, field_window(time, 30, 30) AS w, sum(volume) AS total FROM t
          |  GROUP BY symbol, field_window(time, 30, 30))""".stripMargin
      ))
      assert(found.map(shown) === TradesClosed)
    }

    if (!Set("float", "double")(kind)) sampledTest(
      s"numbers are times: RANGE over $kind, back and ahead"
    ) {
      val query = asked(
        """SELECT symbol, CAST(time AS int) AS time,
          |  sum(volume) OVER (PARTITION BY symbol ORDER BY time RANGE 30 PRECEDING) AS past,
          |  sum(volume) OVER (PARTITION BY symbol ORDER BY time
          |    RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING) AS around FROM t""".stripMargin
      ) _
      val far = Row("far", 0, value(1000))
      val found = streamed(schema, rows.map(Seq(_)) :+ Seq(far), Set(3))(query(_))
      val wanted = query(table(schema, rows)).collect().toSeq
      assert(shown(found.flatten) === shown(wanted))
      // AMAT of 20 is emitted when a row above 30 has arrived.
      assert(found(2).map(_.getInt(1)) === Seq(10, 20))
      val error = intercept[Exception](
        streamed(schema, Seq(rows.take(3), Seq(Row("INTC", 1, value(39)))))(query(_))
      )
      assert(parametersOf(error, "MUNTIN_ROW_OUT_OF_ORDER")("time").startsWith("39"))
    }
  }

  test("doubles cannot order OVER, and numbers are not times in the order of time") {
    def refused(condition: String, kind: String, sql: String): Unit =
      assertRefused(condition, "type" -> kind.toUpperCase(java.util.Locale.ROOT)) {
        streamed(StructType.fromDDL(s"symbol string, time $kind"), Nil)(asked(sql))
      }
    val windows = "SELECT count(*) FROM t GROUP BY field_window(time, 30, 30)"
    val over = "SELECT count(*) OVER (ORDER BY time RANGE 30 PRECEDING) FROM t"
    refused("MUNTIN_FLOATING_TIME_ON_STREAM", "double", over)
    withConf("spark.muntin.stream.order" -> "watermark") {
      refused("MUNTIN_NUMERIC_TIME_ON_STREAM", "double", windows)
      refused("MUNTIN_NUMERIC_TIME_ON_STREAM", "int", windows)
      refused("MUNTIN_NUMERIC_TIME_ON_STREAM", "int", over)
    }
  }
}

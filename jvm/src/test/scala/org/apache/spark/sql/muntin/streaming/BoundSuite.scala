package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.Instant

import scala.util.Random

import io.muntin.functions.bound
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.plans.logical.Bounds
import org.apache.spark.sql.types._

/**
 * Rows that are bounds: they advance time, and are not in any window. One row in each micro-batch.
 */
final class BoundSuite extends StreamSession {
  private val trades = StructType.fromDDL("ticker string, amount int, t timestamp")

  private def trade(ticker: String, amount: Integer, clock: String): Row =
    Row(ticker, amount, Timestamp.from(Instant.parse(s"2024-01-01T$clock:00Z")))

  private def boundAt(clock: String): Row = trade(null, null, clock)

  /** SQLstream's example. */
  private val rows = Seq(
    trade("IBM", 10, "10:00"),
    trade("ORCL", 20, "10:10"),
    boundAt("10:15"),
    trade("ORCL", 15, "10:25"),
    trade("IBM", 30, "11:05"),
    boundAt("11:10")
  )

  private val isBound = col("ticker").isNull

  /** A function that fails for a bound. */
  private val strict = udf((x: Integer) => x.intValue * 2)

  /** The rows emitted after each row, and at the end. */
  private def oneByOne(
      order: String,
      rows: Seq[Row] = rows,
      restarts: Set[Int] = Set.empty
  )(query: DataFrame => DataFrame): Seq[Seq[Row]] =
    withConf(MuntinConf.StreamOrder.key -> order) {
      streamed(trades, rows.map(Seq(_)), restarts) { df =>
        query(if (order == "watermark") df.withWatermark("t", "0 seconds") else df)
      }
    }

  private val noBounds = "SELECT * FROM t WHERE NOT bound(ticker IS NULL)"

  /** The query of `named`, a view over `t` without its bounds. */
  private def inView(sql: String)(df: DataFrame): DataFrame = {
    df.createOrReplaceTempView("t")
    spark.sql(s"CREATE OR REPLACE TEMP VIEW named AS $noBounds")
    spark.sql(sql)
  }

  for (order <- Seq("watermark", "arrival")) {
    sampledTest(
      s"SQLstream's Trades, in order of $order: bounds release results, and are not in any window"
    ) {
      val query = inView(
        """SELECT amount, sum(amount) OVER (PARTITION BY ticker ORDER BY t
          |    RANGE INTERVAL 1 HOUR PRECEDING) AS hourly,
          |  sum(amount) OVER (PARTITION BY 1 ORDER BY t ROWS 1 PRECEDING) AS last_2,
          |  sliding(sum(amount), 2) OVER (PARTITION BY 1 ORDER BY t) AS sliding_2,
          |  count(*) OVER (PARTITION BY 1 ORDER BY t ROWS UNBOUNDED PRECEDING) AS n,
          |  lag(amount) OVER (PARTITION BY 1 ORDER BY t) AS before,
          |  row_number() OVER (PARTITION BY 1 ORDER BY t) AS place FROM named""".stripMargin
      ) _
      val ibm = Row(10, 10L, 10L, null, 1L, null, 1)
      val orcl = Row(20, 20L, 30L, 30L, 2L, 10, 2)
      val later = Row(15, 35L, 35L, 35L, 3L, 20, 3)
      val last = Row(30, 30L, 45L, 45L, 4L, 15, 4)
      assert(shown(query(table(trades, rows)).collect().toSeq) ===
        shown(Seq(ibm, orcl, later, last)))
      val out = oneByOne(order, restarts = Set(3))(query(_))
      // By the watermark, a row waits for a later row or bound.
      val wanted =
        if (order == "arrival") Seq(Seq(ibm), Seq(orcl), Nil, Seq(later), Seq(last), Nil, Nil)
        else Seq(Nil, Seq(ibm), Seq(orcl), Nil, Seq(later), Seq(last), Nil)
      assert(out === wanted)
    }

    sampledTest(
      s"windows of groups and frames that look ahead are emitted at the bound, in order of $order"
    ) {
      def out(sql: String) = oneByOne(order, rows.take(3) :+ boundAt("11:10"), Set(2))(inView(sql))
      assert(out(
        """SELECT amount, count(*) OVER (PARTITION BY ticker ORDER BY t
          |  RANGE BETWEEN CURRENT ROW AND INTERVAL 10 MINUTES FOLLOWING) AS n FROM named""".stripMargin
      ).map(shown) === Seq(Nil, Nil, Seq("[10, 1]"), Seq("[20, 1]"), Nil))
      assert(out(
        """SELECT ticker, count(*), sum(amount) FROM named
          |GROUP BY ticker, field_window(t, 900, 900)""".stripMargin
      ).map(shown) === Seq(Nil, Nil, Seq("[IBM, 1, 10]", "[ORCL, 1, 20]"), Nil, Nil))
      assert(out(
        "SELECT ticker, count(*) FROM named GROUP BY ticker, ticks(t, 'hourly')"
      ).map(shown) === Seq(Nil, Seq("[IBM, 1]"), Nil, Seq("[IBM, 0]", "[ORCL, 1]"), Nil))
      assert(out(
        """SELECT ticker, count(*) FROM named
          |GROUP BY ticker, validity(t, t + INTERVAL 12 MINUTES)""".stripMargin
      ).map(shown) === Seq(Nil, Nil, Seq("[IBM, 1]"), Seq("[ORCL, 1]"), Nil))
    }

    sampledTest(s"through projections, filters, unions and joins, in order of $order") {
      val names = spark.sql("SELECT * FROM VALUES ('IBM', 1), ('ORCL', 2) AS names(ticker, id)")
      val query = (df: DataFrame) => {
        val other = df.where("amount > 100").select("ticker", "amount", "t")
        val both = df.where(!bound(isBound)).select("ticker", "amount", "t")
          .union(other)
        both.where("amount > 10").join(names, "ticker")
          .selectExpr("id * 5 AS id", "t AS at").withColumn("id", strict(col("id")))
          .createOrReplaceTempView("joined")
        spark.sql(
          """SELECT id, count(*) OVER (PARTITION BY id ORDER BY at
            |  RANGE BETWEEN CURRENT ROW AND INTERVAL 3 MINUTES FOLLOWING) FROM joined""".stripMargin
        )
      }
      // A filter removes IBM's 10.
      val out = oneByOne(order)(query(_))
      assert(out === Seq(Nil, Nil, Seq(Row(20, 1L)), Nil, Seq(Row(20, 1L)), Seq(Row(10, 1L)), Nil))
    }

    sampledTest(s"windows over windows receive the bound, in order of $order") {
      val out = oneByOne(order, rows.take(3) :+ boundAt("10:20"))(inView(
        """SELECT amount, n, count(*) OVER (PARTITION BY n ORDER BY at
          |  RANGE BETWEEN CURRENT ROW AND INTERVAL 4 MINUTES FOLLOWING) AS m
          |FROM (SELECT amount, t AS at, count(*) OVER (PARTITION BY ticker ORDER BY t
          |  RANGE BETWEEN CURRENT ROW AND INTERVAL 4 MINUTES FOLLOWING) AS n FROM named)""".stripMargin
      ))
      // At 10:15 the lower window reports that its rows are not below 10:11.
      val first = Seq(Nil, Nil, Seq("[10, 1, 1]"))
      val wanted = if (order == "arrival") first else first.drop(1) :+ Nil
      assert(out.map(shown) === wanted ++ Seq(Seq("[20, 1, 1]"), Nil))
    }

    sampledTest(s"a late bound has no effect, in order of $order") {
      val all = Seq(rows(0), rows(3), boundAt("10:05"), Row(null, null, null), rows(4))
      val out = oneByOne(order, all :+ boundAt("12:00"))(inView(
        "SELECT amount, sum(amount) OVER (ORDER BY t ROWS 9 PRECEDING) FROM named"
      ))
      assert(out.flatten === Seq(Row(10, 10L), Row(15, 25L), Row(30, 55L)))
    }
  }

  test("a row before a bound is out of order, or late") {
    val sql = "SELECT amount, sum(amount) OVER (ORDER BY t ROWS 9 PRECEDING) FROM named"
    val all = Seq(rows(0), boundAt("10:20"), rows(1), boundAt("12:00"))
    val error = intercept[Exception](oneByOne("arrival", all)(inView(sql)))
    assertCondition(error, "MUNTIN_ROW_OUT_OF_ORDER", "newest" -> "2024-01-01 10:20:00")
    assert(oneByOne("watermark", all)(inView(sql)).flatten === Seq(Row(10, 10L)))
  }

  sampledTest("a watermark above the bounds also respects them") {
    val sums = "sum(amount) OVER (PARTITION BY ticker ORDER BY at RANGE INTERVAL 1 HOUR PRECEDING)"
    def out(query: DataFrame => DataFrame) = streamed(trades, rows.map(Seq(_)), Set(3)) { df =>
      query(df.where(!bound(isBound)))
        .withWatermark("at", "0 seconds").selectExpr("amount", s"$sums AS s")
    }
    val wanted = Seq(
      Nil,
      Seq(Row(20, 20L)),
      Seq(Row(40, 40L)),
      Nil,
      Seq(Row(30, 70L)),
      Seq(Row(60, 60L)),
      Nil
    )
    val found = out { df =>
      val own = df.where("amount < 100").selectExpr(
        "t + INTERVAL 1 HOUR AS at",
        "lower(ticker) AS ticker",
        "amount"
      ).withColumn("amount", strict(col("amount")))
      own.union(own.where("amount > 1000"))
    }
    assert(found === wanted)
    val renamed = (df: DataFrame) => df.withColumnRenamed("t", "at")
    val once = (df: DataFrame) => renamed(df).dropDuplicates("ticker")
    for (hidden <- Seq[DataFrame => DataFrame](once, df => renamed(df).union(once(df))))
      assertRefused(
        "MUNTIN_WATERMARK_AFTER_BOUND",
        "eventTime" -> "at",
        "operator" -> "Deduplicate"
      )(out(hidden))
  }

  test("window_by: bounds complete anchors, and are not anchors or rows") {
    val out = oneByOne("watermark")(inView(
      """SELECT amount, n FROM window_by(
        |  TABLE(SELECT t AS at FROM named),
        |  TABLE(SELECT amount, t AS to, t - INTERVAL 20 MINUTES AS from FROM named),
        |  aggregates => 'count(*) AS n', time => 'at', start => 'from', end => 'to')""".stripMargin
    ))
    assert(out.map(shown) ===
      Seq(Nil, Seq("[10, 1]"), Seq("[20, 2]"), Nil, Seq("[15, 2]"), Seq("[30, 1]"), Nil))
  }

  test("after all rows and bounds, a stream has the results of the batch") {
    val random = new Random(11L)
    val rows = Seq.tabulate(60) { i =>
      if (random.nextInt(4) == 0) Row(null, null, at(i * 7L))
      else Row(s"k${random.nextInt(3)}", i, at(i * 7L))
    } :+ Row(null, null, at(100000L))
    val query = inView(
      """SELECT amount, a, b, c, count(*) OVER (PARTITION BY c ORDER BY t
        |  RANGE BETWEEN INTERVAL 60 SECONDS PRECEDING AND INTERVAL 20 SECONDS FOLLOWING) AS d
        |FROM (SELECT amount, t,
        |  count(*) OVER (PARTITION BY ticker ORDER BY t
        |    RANGE BETWEEN INTERVAL 30 SECONDS PRECEDING AND INTERVAL 15 SECONDS FOLLOWING) AS a,
        |  collect_list(amount) OVER (PARTITION BY ticker ORDER BY t ROWS 4 PRECEDING) AS b,
        |  sliding(max(amount), 3, partial => true) OVER (PARTITION BY ticker ORDER BY t) % 3 AS c
        |  FROM named)""".stripMargin
    ) _
    val wanted = shown(query(table(trades, rows)).collect().toSeq)
    for ((order, late) <- Seq("arrival" -> 0, "watermark" -> 40)) {
      val arrivals = rows.map(r => r.getTimestamp(2).getTime + random.nextInt(1 + late) * 1000L)
      val batches = cut(random, rows.zip(arrivals).sortBy(_._2).map(_._1), 20, least = 4)
      withConf(MuntinConf.StreamOrder.key -> order) {
        val found = streamed(trades, batches, Set(2)) { df =>
          query(if (order == "arrival") df else df.withWatermark("t", "40 seconds"))
        }
        assert(shown(found.flatten) === wanted, order)
      }
    }
  }

  test("numbers, and times that are computed from other columns, are times of bounds as well") {
    def out(at: String) = oneByOne("arrival", rows.take(3))(inView(
      s"""SELECT amount, count(*) OVER (ORDER BY at
         |  RANGE BETWEEN CURRENT ROW AND 4 FOLLOWING) AS n
         |FROM (SELECT amount, $at AS at FROM named)""".stripMargin
    ))
    val wanted = Seq(Nil, Seq(Row(10, 1L)), Seq(Row(20, 1L)), Nil)
    assert(out("minute(t)") === wanted)
    assert(out("CAST(minute(t) AS DECIMAL(9, 2))") === wanted)
    assertCondition(
      intercept[Exception](out("explode(sequence(minute(t), minute(t)))")),
      "MUNTIN_TIME_COMPUTED_AFTER_BOUND",
      "operator" -> "Generate"
    )
  }

  test("without windows it is a filter, and Spark's watermark still reads the removed rows") {
    val query = (df: DataFrame) => {
      df.withWatermark("t", "0 seconds").createOrReplaceTempView("t")
      spark.sql(s"CREATE OR REPLACE TEMP VIEW named AS $noBounds")
      spark.sql("SELECT count(*), sum(amount) FROM named GROUP BY window(t, '5 minutes')")
    }
    val out = streamed(trades, rows.map(Seq(_)))(query(_))
    assert(out.map(shown) === Seq(
      Nil,
      Seq("[1, 10]"),
      Seq("[1, 20]"),
      Nil,
      Seq("[1, 15]"),
      Seq("[1, 30]"),
      Nil
    ))
  }

  test("in a batch it is a filter; null is not a bound") {
    table(trades, rows).createOrReplaceTempView("t")
    val found = spark.sql(
      "SELECT amount FROM t WHERE NOT bound(amount > 10) AND t > '2024-01-01' AND NOT bound(false)"
    )
    assert(shown(found.collect().toSeq) === Seq("[10]", "[null]", "[null]"))
    assert(!found.queryExecution.analyzed.exists(_.isInstanceOf[Bounds]))
  }

  test("rejected queries") {
    table(trades, rows).createOrReplaceTempView("t")
    Seq(
      "SELECT bound(ticker IS NULL) FROM t",
      "SELECT * FROM t WHERE bound(ticker IS NULL)",
      "SELECT * FROM t WHERE NOT bound(ticker IS NULL) OR amount > 1",
      "SELECT * FROM t a JOIN t b ON NOT bound(a.ticker IS NULL)",
      "SELECT * FROM range(1) WHERE id IN (SELECT 1 FROM t WHERE bound(ticker IS NULL))",
      "SELECT count(*) FILTER (WHERE NOT bound(ticker IS NULL)) FROM t"
    ).foreach { sql =>
      val said = refusal(spark.sql(sql))
      assert(said.contains("WHERE NOT bound(") && said.contains("ticker IS NULL"), s"$sql: $said")
    }
    Seq("ticker" -> "STRING", "NULL" -> "NULL", "rand() > 0.5" -> "deterministic").foreach {
      case (condition, word) =>
        val said = refusal(spark.sql(s"SELECT * FROM t WHERE NOT bound($condition)"))
        assert(said.contains("`bound`") && said.contains(word), said)
    }
    assertRefused("MUNTIN_SUBQUERY_IN_BOUND")(oneByOne("watermark", Nil)(asked(
      "SELECT * FROM t WHERE NOT bound(ticker IN (SELECT ticker FROM t))"
    )))
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import io.muntin.Muntin
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.types._

/**
 * The time to live of groups: the results of a stream are the results of a batch with another key,
 * the number of longer gaps so far. The state of groups without rows ends.
 */
final class TtlStreamSuite extends StreamSession {
  import StreamSession.Readings

  override protected def settings: Map[String, String] =
    super.settings + ("spark.sql.ansi.enabled" -> "false")

  private val ttlKey = MuntinConf.StreamTtl.key

  /** Returns the rows with the number of gaps of more than `ttl` before the row in its group. */
  private def numbered(rows: Seq[Row], ttl: Long)(group: Row => Any)(time: Row => Long): Seq[Row] =
    rows.groupBy(group).values.toSeq.flatMap { rows =>
      val inOrder = rows.sortBy(time)
      val gaps = inOrder.map(time).zip(inOrder.map(time).drop(1)).map { case (a, b) => b - a > ttl }
      inOrder.zip(gaps.scanLeft(0)((n, isLonger) => if (isLonger) n + 1 else n))
    }.map { case (row, n) => Row.fromSeq(row.toSeq :+ n) }

  private def random(seed: Int): Unit = {
    val random = new Random(seed.toLong)
    val made = new RandomStreamQuery(random)
    val rows = made.rows(220)
    val ttl = Seq(15L, 40L, 400L)(seed % 3)
    val full = cut(random, rows, 70)
    val batches =
      full.flatMap(b => if (random.nextInt(5) == 0) Seq(Nil, b) else Seq(b)) :+ Seq(made.last)
    val restarts = chosen(random, batches)
    val ofBatch = made.sql.replaceAll("OVER \\(PARTITION BY", "OVER (PARTITION BY n,")
      .replaceAll("OVER \\( ORDER BY", "OVER (PARTITION BY n ORDER BY")
    withClue(s"seed $seed, ttl $ttl, micro-batches of ${batches.map(_.size).mkString(", ")}, " +
      s"restarts at ${restarts.toSeq.sorted.mkString(", ")}\n${made.sql}\n") {
      assert(ofBatch != made.sql)
      var (expired, groups) = (0L, 0L)
      val out = withConf(ttlKey -> s"${ttl}s") {
        streamed(
          RandomStreamQuery.schema,
          batches,
          restarts,
          seen = { progress =>
            expired = math.max(expired, metric(progress, "numGroupsExpired").getOrElse(0L))
            groups = metric(progress, "numGroups").getOrElse(groups)
          }
        )(df => asked(made.sql)(df.withWatermark("t", "1 minute")))
      }.flatten.filter(_.getInt(0) >= 0)
      val schema = RandomStreamQuery.schema.add("n", IntegerType)
      val all = numbered(rows, ttl * 1000000L)(keysOf(made))(r => micros(r.getTimestamp(2)))
      val wanted = asked(ofBatch)(table(schema, all)).collect().toSeq
      assert(shown(out) === shown(wanted))
      assert(expired > 0L)
      // Only the last row's group is left.
      assert(groups <= 1L)
      ()
    }
  }

  private def keysOf(made: RandomStreamQuery): Row => Any = {
    val columns = Seq("k", "flag").filter(made.over("").contains(_))
    val places = columns.map(RandomStreamQuery.schema.fieldIndex(_))
    row => places.map(row.get(_))
  }

  private def micros(time: java.sql.Timestamp): Long =
    time.getTime / 1000L * 1000000L + time.getNanos / 1000L

  (1 to 6).foreach { seed =>
    if (seed <= 2) test(s"random query $seed")(random(seed))
    else sampledTest(s"random query $seed")(random(seed))
  }

  private val several =
    """SELECT k, t, i,
      |  sliding(sum(d), 3, true, true, ttl => INTERVAL 20 SECONDS) OVER w AS a,
      |  since(collect_list(i), i % 5 = 0, ttl => 40) OVER w AS b,
      |  framed(min(d), ttl => '20 seconds') OVER (w ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS c,
      |  framed(sum(d), min_periods => 2, ttl => 30) OVER (w ROWS 4 PRECEDING) AS e,
      |  count(*) OVER w AS n
      |FROM t WINDOW w AS (PARTITION BY k ORDER BY t)""".stripMargin

  /** Distinct times in order, with pauses around the ttls. */
  private def readings(random: Random, count: Int): Seq[Row] = {
    var second = 0L
    Seq.tabulate(count) { i =>
      second += 1L + (if (random.nextInt(6) == 0) 15L + random.nextInt(30) else random.nextInt(6))
      Row(s"k${random.nextInt(3)}", at(second), i, random.nextGaussian() * 1e5)
    }
  }

  private val last = Row("end", at(1000000L), -1, 0.0)

  private def batch(sql: String, rows: Seq[Row]): Seq[String] =
    shown(asked(sql)(table(Readings, rows)).collect().toSeq)

  sampledTest("windows with several ttls and without: equal to a batch, over restarts", most = 2) {
    val random = new Random(1L)
    val rows = readings(random, 150)
    val batches = cut(random, random.shuffle(rows.take(20)) ++ rows.drop(20), 40) :+ Seq(last)
    val found = streamed(Readings, batches, chosen(random, batches)) { df =>
      asked(several)(df.withWatermark("t", "2 minutes"))
    }
    assert(shown(found.flatten.filter(_.getInt(2) >= 0)) === batch(several, rows))
  }

  for (order <- Seq("arrival", "group"))
    sampledTest(s"in the order $order, row by row: each row has its result at once", most = 4) {
      withConf(MuntinConf.StreamOrder.key -> order) {
        val rows = readings(new Random(2L), 16)
        val found = streamed(Readings, rows.map(Seq(_)), Set(7, 11, 12))(asked(several))
        val byRow = asked(several)(table(Readings, rows)).collect().toSeq
          .map(r => r.getInt(2) -> Rendered(r)).toMap
        assert(found.take(rows.size).map(_.map(Rendered(_))) ===
          rows.map(r => Seq(byRow(r.getInt(2)))))
      }
    }

  test("in output mode update, the last answer of each row is the batch's") {
    val random = new Random(3L)
    val sql =
      """SELECT k, t, i, framed(sum(d), ttl => 20) OVER (PARTITION BY k ORDER BY t
        |  ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) AS a FROM t""".stripMargin
    val rows = readings(random, 100)
    val batches = cut(random, rows, 15)
    // After each micro-batch, the latest answers equal the results of a batch over the rows so far.
    val latest = scala.collection.mutable.Map.empty[Int, String]
    val found = streamed(Readings, batches, Set(3, 4), outputMode = "update") { df =>
      asked(sql)(df.withWatermark("t", "10 seconds"))
    }
    found.take(batches.size).zipWithIndex.foreach { case (answers, n) =>
      answers.foreach(r => latest(r.getInt(2)) = Rendered(r))
      assert(latest.values.toSeq.sorted === batch(sql, batches.take(n + 1).flatten))
    }
  }

  private val lastTen =
    "SELECT k, i, sum(i) OVER (PARTITION BY k ORDER BY t ROWS 10 PRECEDING) AS s FROM t"

  private def reading(key: String, second: Double, i: Int): Row = Row(key, at(second), i, 0.0)

  test("a gap of exactly the ttl continues the partition, a longer gap begins another") {
    val rows = Seq(reading("a", 0.0, 1), reading("a", 10.0, 2), reading("a", 20.000001, 4))
    withConf(ttlKey -> "10s") {
      for (batches <- Seq(Seq(rows), rows.map(Seq(_)))) {
        val found = streamed(Readings, batches :+ Seq(last)) { df =>
          asked(lastTen)(df.withWatermark("t", "0 seconds"))
        }
        assert(shown(found.flatten.filter(_.getInt(1) > 0)) ===
          Seq("[a, 1, 1]", "[a, 2, 3]", "[a, 4, 4]"))
      }
    }
  }

  test("rows that wait for others have their results when their partition ends") {
    val sql = "SELECT i, lead(i) OVER (PARTITION BY k ORDER BY t) AS next FROM t"
    withConf(ttlKey -> "10s") {
      val found = streamed(
        Readings,
        Seq(
          Seq(reading("a", 1.0, 1)),
          Seq(reading("b", 11.0, 2)),
          Seq(reading("b", 11.1, 4)),
          Seq(reading("a", 12.0, 8))
        )
      )(df => asked(sql)(df.withWatermark("t", "0 seconds")))
      // The partition of row 1 ends when time is past 11.
      assert(found.take(4).map(shown) === Seq(Nil, Nil, Seq("[1, null]"), Seq("[2, 4]")))
    }
  }

  for (
    (order, settings) <- Seq(
      "watermark" -> Nil,
      "arrival" -> Seq(MuntinConf.StreamOrder.key -> "arrival")
    )
  )
    sampledTest(s"in the order $order, the state of keys that come and go stays level", most = 4) {
      val rows = Seq.tabulate(40) { n =>
        Seq.tabulate(10)(j => reading(s"key ${n / 2}-$j", n * 10.0 + j, n * 10 + j))
      }
      val groups = scala.collection.mutable.TreeMap.empty[Long, Long]
      withConf(settings :+ (ttlKey -> "30s"): _*) {
        val found = streamed(
          Readings,
          rows,
          Set(7),
          p => metric(p, "numGroups").foreach(n => groups(p.batchId) = n)
        )(df => asked(lastTen)(df.withWatermark("t", "5 seconds")))
        val told = found.flatten.map(_.getInt(1)).toSet
        assert(rows.flatten.map(_.getInt(2)).take(380).forall(told.contains))
      }
      assert(groups.values.max <= 40L)
      assert(groups.last._2 <= 40L)
    }

  test("rows of an expired key that are late are dropped, as rows of a new key") {
    var dropped = 0L
    withConf(ttlKey -> "10s") {
      val found = streamed(
        Readings,
        Seq(
          Seq(reading("a", 1.0, 1)),
          Seq(reading("b", 100.0, 2)),
          // Late, then in time.
          Seq(reading("a", 50.0, 4), reading("a", 95.0, 8)),
          Seq(last)
        ),
        seen = p =>
          p.stateOperators.headOption.foreach { s =>
            dropped = math.max(dropped, s.numRowsDroppedByWatermark)
          }
      )(df => asked(lastTen)(df.withWatermark("t", "20 seconds")))
      assert(shown(found.flatten.filter(_.getInt(1) > 0)) ===
        Seq("[a, 1, 1]", "[a, 8, 8]", "[b, 2, 2]"))
      assert(dropped === 1L)
    }
  }

  test("numbers are times of an argument, and not of the setting") {
    val schema = StructType.fromDDL("k string, n decimal(5, 1)")
    val rows = Seq(Row("a", "1.0"), Row("a", "3.0"), Row("a", "5.6"), Row("b", "9.0"))
      .map(r => Row(r.getString(0), new java.math.BigDecimal(r.getString(1))))
    val sql = "SELECT k, n, sliding(count(*), 9, partial => true, ttl => 2.55) " +
      "OVER (PARTITION BY k ORDER BY n) AS c FROM t"
    withConf(MuntinConf.StreamOrder.key -> "arrival") {
      val found = streamed(schema, rows.map(Seq(_)), Set(2))(asked(sql)).flatten
      assert(found.map(_.getLong(2)) === Seq(1L, 2L, 1L, 1L))
      assert(shown(found) === shown(asked(sql)(table(schema, rows)).collect().toSeq))
      withConf(ttlKey -> "10s") {
        assertRefused(
          "MUNTIN_TTL_SETTING_OF_OTHER_TIME",
          "setting" -> ttlKey,
          "time" -> "n",
          "type" -> "DECIMAL(5,1)"
        ) {
          streamed(schema, Nil)(
            asked("SELECT sum(n) OVER (PARTITION BY k ORDER BY n ROWS 2 PRECEDING) FROM t")
          )
        }
      }
    }
  }

  test("another ttl is another query; mt.pending ends the partitions as the stream would") {
    val checkpoint = temporary()
    val rows = readings(new Random(5L), 30)
    def query(df: DataFrame) = asked(lastTen)(df.withWatermark("t", "1 minute"))
    withConf(ttlKey -> "10s") {
      val early =
        streamed(Readings, Seq(rows), checkpoint = checkpoint)(query).flatten
      val source = new Source(Readings)
      val pending = Muntin.pending(query(source.rows), checkpoint.toString).collect().toSeq
      val sql = lastTen.replace("PARTITION BY k", "PARTITION BY k, n")
      val all = numbered(rows, 10000000L)(_.getString(0))(r => micros(r.getTimestamp(1)))
      assert(pending.nonEmpty)
      assert(shown(early ++ pending) ===
        shown(asked(sql)(table(Readings.add("n", IntegerType), all)).collect().toSeq))
    }
    withConf(ttlKey -> "20s") {
      val error = intercept[Exception] {
        streamed(Readings, Seq(rows), checkpoint = checkpoint)(query)
      }
      assertCondition(error, "MUNTIN_CHECKPOINT_OF_OTHER_QUERY")
      assert(messages(error).contains("10 seconds") && messages(error).contains("20 seconds"))
    }
  }

  test("EXPLAIN shows the ttl, and the query has one stateful operator") {
    val source = new Source(Readings)
    val sql = "SELECT sliding(sum(d), 3, ttl => 20) OVER (PARTITION BY k ORDER BY t) FROM t"
    val made = asked(sql)(source.rows.withWatermark("t", "1 minute")).select("*")
    val shown = new java.io.ByteArrayOutputStream
    Console.withOut(shown)(made.explain())
    val plan = shown.toString
    assert(plan.contains("ttl 20 seconds"))
    assert("MuntinStream".r.findAllIn(plan).size === 1, plan)
  }

  test("a ttl that is not positive, or not a duration, is rejected") {
    def refused(ttl: String): String = intercept[AnalysisException] {
      asked(s"SELECT sliding(sum(d), 3, ttl => $ttl) OVER (PARTITION BY k ORDER BY t) FROM t")(
        new Source(Readings).rows.withWatermark("t", "1 minute")
      )
    }.getMessage
    for (ttl <- Seq("0", "INTERVAL -1 DAY", "'x'", "INTERVAL 1 MONTH"))
      assert(refused(ttl).contains("`ttl`"), ttl)
  }
}

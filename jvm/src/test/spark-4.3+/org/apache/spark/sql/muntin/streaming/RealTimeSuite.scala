package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.scalatest.Assertion

/** OVER in Spark's real-time mode: each row has its result immediately, and it equals the batch. */
final class RealTimeSuite extends RealTimeSession {
  import StreamSession.Readings

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    InjectedFailures.register(spark)
    spark.udf.register(
      "fails",
      (i: Int) =>
        if (i == RealTimeSuite.failsAt) throw new IllegalStateException("on purpose") else i
    ): Unit
  }

  private val Sums =
    """SELECT k, t, i,
      |  sum(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 5 SECONDS PRECEDING) AS s,
      |  count(*) OVER (PARTITION BY k ORDER BY t ROWS 3 PRECEDING) AS n,
      |  lag(i) OVER (PARTITION BY k ORDER BY t) AS l
      |FROM t""".stripMargin

  private def readings(count: Int, keys: Int, seed: Long = 3L): Seq[Row] = {
    val random = new Random(seed)
    Seq.tabulate(count) { i =>
      val key = random.nextInt(keys)
      Row(if (key == 0) null else s"k$key", at(i.toLong), i, random.nextGaussian())
    }
  }

  private def source = new RealTimeSource(Readings, _.get(0))

  private def wanted(sql: String, rows: Seq[Row]): Seq[Row] =
    asked(sql)(table(Readings, rows)).collect().toSeq

  private def byNumber(rows: Seq[Row]): Map[Int, Seq[String]] =
    rows.groupBy(_.getAs[Int]("i")).view.mapValues(_.map(Rendered(_)).distinct).toMap

  /** Each row has one result, or repeats it, and it equals the batch. */
  private def checkAll(sql: String, out: Seq[Row], rows: Seq[Row]): Assertion = {
    val found = byNumber(out)
    assert(found.values.forall(_.size == 1), "a row that is emitted again is the same")
    assert(found === byNumber(wanted(sql, rows)))
  }

  test("a row has its result before the next row is sent, without a sort and without waiting") {
    val rows = readings(8, keys = 3)
    val (from, out) = (source, new Emitted)
    running(out.start(asked(Sums)(from.rows))) { query =>
      val found = rows.flatMap { row =>
        from.add(row)
        out.next(query, 1)
      }
      assert(found.map(_.getAs[Int]("i")) === rows.map(_.getInt(2)))
      checkAll(Sums, found, rows): Unit
      val plan = lastPlan(query).get
      val shuffles = plan.collect { case shuffle: ShuffleExchangeExec => shuffle }
      assert(shuffles.size === 1 && shuffles.forall(_.pipelined), plan)
      assert(plan.collect { case over: StreamWindowsExec => over.isRealTime } === Seq(true))
      assert(plan.find(_.nodeName.contains("Sort")).isEmpty, plan)
    }
  }

  test("groups continue in the next batch, after a stop, and after a stop within a batch") {
    val rows = readings(60, keys = 5)
    val (from, out) = (source, new Emitted)
    val parts = rows.grouped(15).toSeq
    val first = running(out.start(asked(Sums)(from.rows))) { query =>
      from.add(parts(0): _*)
      val one = out.next(query, 15)
      endBatch(query)
      from.add(parts(1): _*)
      val two = out.next(query, 15)
      endBatch(query)
      from.add(parts(2): _*)
      one ++ two ++ out.next(query, 15)
    }
    // The third part is not committed, and is emitted again.
    val again = running(out.start(asked(Sums)(from.rows))) { query =>
      val three = out.next(query, 15)
      assert(byNumber(three).keySet === parts(2).map(_.getInt(2)).toSet)
      from.add(parts(3): _*)
      val four = out.next(query, 15)
      endBatch(query)
      three ++ four
    }
    assert(out.rest() === Nil)
    checkAll(Sums, first ++ again, rows)
  }

  test("a gap longer than the ttl begins a new partition, within a batch and after a restart") {
    val random = new Random(8L)
    var second = 0L
    val rows = Seq.tabulate(90) { i =>
      second += (if (random.nextInt(5) == 0) 25L else 1L)
      Row(s"k${random.nextInt(3)}", at(second), i, random.nextGaussian())
    }
    val sql =
      """SELECT k, t, i, framed(sum(d), ttl => 20) OVER (PARTITION BY k ORDER BY t ROWS 9 PRECEDING)
        |  AS s, sliding(collect_list(i), 4, true, true, ttl => 20) OVER (PARTITION BY k ORDER BY t)
        |  AS last FROM t""".stripMargin
    for (warm <- Seq("64m", "0")) withConf(MuntinConf.StreamWarmMemory.key -> warm) {
      val (from, out) = (source, new Emitted)
      val found = rows.grouped(30).toSeq.zipWithIndex.flatMap { case (part, i) =>
        running(out.start(asked(sql)(from.rows), isRealTime = i != 1)) { query =>
          from.add(part: _*)
          val found = out.next(query, part.size)
          if (i == 1) query.processAllAvailable() else endBatch(query)
          found
        }
      }
      assert(out.rest() === Nil)
      checkAll(sql, found, rows)
    }
  }

  test("a query resumes in real-time mode after micro-batches, and back") {
    val rows = readings(80, keys = 4)
    val (from, out) = (source, new Emitted)
    val found = rows.grouped(20).toSeq.zipWithIndex.flatMap { case (part, i) =>
      val isRealTime = i % 2 == 1
      from.add(part: _*)
      running(out.start(asked(Sums)(from.rows), isRealTime)) { query =>
        val found = out.next(query, part.size)
        if (isRealTime) endBatch(query) else query.processAllAvailable()
        found
      }
    }
    assert(out.rest() === Nil)
    checkAll(Sums, found, rows)
  }

  test("a checkpoint of another query, or of output mode update, is rejected") {
    val rows = readings(10, keys = 2)
    val (from, out) = (source, new Emitted)
    from.add(rows: _*)
    running(out.start(asked(Sums)(from.rows))) { query =>
      out.next(query, 10): Unit
      endBatch(query)
    }
    val other = Sums.replace("ROWS 3", "ROWS 4")
    assertRefused("MUNTIN_CHECKPOINT_OF_OTHER_QUERY")(out.start(asked(other)(from.rows)))
    val revised = new Emitted
    def inMode(isRealTime: Boolean) =
      revised.start(asked(Sums)(from.rows), isRealTime, isUpdate = true)
    running(inMode(isRealTime = false))(_.processAllAvailable())
    val query = inMode(isRealTime = true)
    eventually(assert(!query.isActive))
    assertCondition(
      query.exception.get,
      "MUNTIN_CHECKPOINT_OF_OTHER_QUERY",
      "property" -> "output mode",
      "stored" -> "update"
    )
  }

  test("a task that fails repeats no row with another result") {
    val sql = s"SELECT * FROM ($Sums) WHERE fails(i) >= 0"
    val rows = readings(60, keys = 4)
    val (from, out) = (source, new Emitted)
    RealTimeSuite.failsAt = 45
    val first = {
      val query = out.start(asked(sql)(from.rows))
      from.add(rows.take(30): _*)
      val one = out.next(query, 30)
      endBatch(query)
      from.add(rows.drop(30): _*)
      eventually(assert(!query.isActive))
      assert(messages(query.exception.get).contains("on purpose"))
      one ++ out.rest()
    }
    RealTimeSuite.failsAt = -1
    running(out.start(asked(sql)(from.rows))) { query =>
      val again = out.next(query, 30)
      endBatch(query)
      checkAll(sql, first ++ again, rows)
    }
  }

  for (
    (name, setting) <- Seq(
      "room for a few groups" -> (MuntinConf.StreamWarmMemory.key -> "200k"),
      "room for no group" -> (MuntinConf.StreamWarmMemory.key -> "0"),
      "memory that is refused" -> (MuntinConf.OverForceSpill.key -> "true")
    )
  ) test(s"many groups, with $name") {
    val rows = readings(400, keys = 60)
    withConf(setting) {
      val (from, out) = (source, new Emitted)
      val found = rows.grouped(200).toSeq.flatMap { part =>
        running(out.start(asked(Sums)(from.rows))) { query =>
          val (before, after) = part.splitAt(100)
          from.add(before: _*)
          val one = out.next(query, 100)
          endBatch(query)
          from.add(after: _*)
          val two = out.next(query, 100)
          endBatch(query)
          one ++ two
        }
      }
      assert(out.rest() === Nil)
      checkAll(Sums, found, rows)
    }
  }

  test("a group with thousands of rows in a batch, which is written while the batch runs") {
    val rows = Seq.tabulate(2500)(i => Row("k", at(i.toLong), i, i.toDouble))
    val (from, out) = (source, new Emitted)
    running(out.start(asked(Sums)(from.rows))) { query =>
      from.add(rows: _*)
      val found = out.next(query, rows.size)
      endBatch(query)
      assert(metric(query.lastProgress, "numRowsBuffered").exists(_ < 20L))
      checkAll(Sums, found, rows)
    }
  }

  test("shortly before a batch ends, groups are written after each row") {
    val sql =
      s"SELECT *, fragile_count(i) OVER (PARTITION BY k ORDER BY t ROWS UNBOUNDED PRECEDING)" +
        s" AS f, ${Sums.stripPrefix("SELECT k, t, i,")}"
    val rows = readings(240, keys = 30)
    val (from, out) = (source, new Emitted)
    def written = InjectedFailures.statesWritten.get
    val found = rows.grouped(120).toSeq.flatMap { part =>
      running(out.start(asked(sql)(from.rows))) { query =>
        val before = written
        from.add(part.take(60): _*)
        val one = out.next(query, 60)
        assert(written === before)
        approachEnd(600L)
        from.add(part.slice(60, 90): _*)
        val two = out.next(query, 30)
        passTime(300L)
        from.add(part.drop(90): _*)
        val three = out.next(query, 30)
        // The last row of each partition may not have had its turn.
        assert(written > before + 20)
        endBatch(query)
        one ++ two ++ three
      }
    }
    assert(out.rest() === Nil)
    checkAll(sql, found, rows)
  }

  test("windows of groups are emitted when a row of their group closes them") {
    val sql =
      "SELECT k, tumble.start, count(*) AS n FROM t GROUP BY k, tumble(t, INTERVAL 10 SECONDS)"
    val (from, out) = (source, new Emitted)
    running(out.start(asked(sql)(from.rows))) { query =>
      from.add(Row("a", at(1L), 0, 1.0), Row("a", at(5L), 1, 1.0), Row("b", at(3L), 2, 1.0))
      from.add(Row("a", at(12L), 3, 1.0))
      assert(out.next(query, 1) === Seq(Row("a", at(0L), 2L)))
      from.add(Row("b", at(31L), 4, 1.0))
      assert(out.next(query, 1) === Seq(Row("b", at(0L), 1L)))
      endBatch(query)
      from.add(Row("a", at(20L), 5, 1.0))
      assert(out.next(query, 1) === Seq(Row("a", at(10L), 1L)))
    }
  }

  for (
    window <- Seq(
      "tumble(t, INTERVAL 10 SECONDS)",
      "hop(t, INTERVAL 5 SECONDS, INTERVAL 20 SECONDS)",
      "field_window(t, 10)",
      "sessions(t, INTERVAL 4 SECONDS)",
      "validity(t, t + INTERVAL 7 SECONDS)"
    )
  ) sampledTest(s"as in micro-batches: $window", most = 2) {
    val name = window.takeWhile(_ != '(')
    val sql =
      s"SELECT k, $name AS w, count(*) AS n, sum(d) AS s, max(i) AS i FROM t GROUP BY k, $window"
    val rows = readings(120, keys = 4)
    val wanted = streamed(Readings, Seq(rows))(asked(sql)).flatten
    assert(wanted.size > 20)
    val (from, out) = (source, new Emitted)
    val found = mutable.SortedSet.empty[String]
    running(out.start(asked(sql)(from.rows))) { query =>
      rows.take(90).grouped(45).foreach { part =>
        from.add(part: _*)
        // The batch has begun.
        found ++= shown(out.next(query, 1))
        endBatch(query)
        found ++= shown(out.rest())
      }
    }
    running(out.start(asked(sql)(from.rows))) { query =>
      from.add(rows.drop(90): _*)
      while (found.size < wanted.size) found ++= shown(out.next(query, 1))
    }
    assert(found.toSeq === shown(wanted))
  }

  test("window_by of one stream: an anchor is emitted when a row of its group follows its window") {
    val sql =
      """SELECT k, i, n, total FROM window_by(TABLE(t),
        |  TABLE(SELECT k, t AS at, i FROM t WHERE i % 4 = 0),
        |  'count(*) AS n, sum(d) AS total', 't',
        |  'at - INTERVAL 7 SECONDS', 'at + INTERVAL 10 SECONDS', 'k')""".stripMargin
    val rows = readings(100, keys = 3).filterNot(_.isNullAt(0))
    val newest = rows.groupBy(_.getString(0)).view.mapValues(_.map(_.getInt(2)).max).toMap
    val should = wanted(sql, rows).filter(r => r.getInt(1) + 10 < newest(r.getString(0)))
    assert(should.size > 10)
    val (from, out) = (source, new Emitted)
    val (before, after) = rows.splitAt(50)
    def complete(rows: Seq[Row]): Int = {
      val newest = rows.groupBy(_.getString(0)).view.mapValues(_.map(_.getInt(2)).max).toMap
      should.count(r => newest.get(r.getString(0)).exists(_ > r.getInt(1) + 10))
    }
    val first = running(out.start(asked(sql)(from.rows))) { query =>
      from.add(before: _*)
      val found = out.next(query, complete(before))
      endBatch(query)
      found
    }
    val second = running(out.start(asked(sql)(from.rows))) { query =>
      from.add(after: _*)
      out.next(query, should.size - first.size)
    }
    assert(out.rest() === Nil)
    assert(first.nonEmpty && second.nonEmpty)
    assert(shown(first ++ second) === shown(should))
  }

  test(
    "filters, projections, generators, JSON, a watermark, and a join with a table, around the windows"
  ) {
    val names = spark.sql("SELECT 'k1' AS k, 'one' AS name UNION ALL SELECT 'k2', 'two'")
    names.createOrReplaceTempView("names")
    val sql =
      """SELECT *, explode(array(1, 2)) AS twice FROM (
        |  SELECT /*+ BROADCAST(names) */ k, i, x, name, row_number() OVER (PARTITION BY k ORDER BY t) AS n,
        |    avg(x) OVER (PARTITION BY k ORDER BY t ROWS 4 PRECEDING) AS a
        |  FROM (
        |    SELECT k, t, i, from_json(concat('{"x":', i, '}'), 'x double').x AS x FROM t
        |    WHERE i % 3 <> 0) JOIN names USING (k)
        |) WHERE n > 2""".stripMargin
    val rows = readings(60, keys = 4)
    val (from, out) = (source, new Emitted)
    running(out.start(asked(sql)(from.rows.withWatermark("t", "0 seconds")))) { query =>
      from.add(rows: _*)
      val should = wanted(sql, rows)
      assert(should.size > 20)
      assert(shown(out.next(query, should.size)) === shown(should))
    }
  }

  test("the query does not wait for later peers, and a row out of order fails the query") {
    val sql =
      "SELECT k, i, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM t"
    val (from, out) = (source, new Emitted)
    val query = out.start(asked(sql)(from.rows))
    val times = Seq(1L, 2L, 2L, 2L, 3L)
    from.add(times.zipWithIndex.map { case (t, i) => Row("a", at(t), i, 0.0) }: _*)
    assert(out.next(query, 5).map(_.getLong(2)) === Seq(1L, 2L, 3L, 4L, 5L))
    // Other groups have their own times.
    from.add(Row("b", at(1L), 5, 0.0))
    assert(out.next(query, 1).map(_.getLong(2)) === Seq(1L))
    from.add(Row("a", at(2L), 6, 0.0))
    eventually(assert(!query.isActive))
    assertCondition(query.exception.get, "MUNTIN_ROW_OUT_OF_ORDER_IN_GROUP")
  }

  test("rows out of order are dropped if the query asks for it") {
    withConf(MuntinConf.StreamOutOfOrder.key -> "drop") {
      val (from, out) = (source, new Emitted)
      running(out.start(asked(Sums)(from.rows))) { query =>
        from.add(Row("a", at(5L), 0, 1.0), Row("a", at(4L), 1, 2.0), Row("a", at(6L), 2, 4.0))
        assert(out.next(query, 2).map(r => (r.getInt(2), r.getDouble(3))) === Seq(
          (0, 1.0),
          (2, 5.0)
        ))
        endBatch(query)
        assert(metric(query.lastProgress, "numRowsOutOfOrder") === Some(1L))
      }
    }
  }
}

object RealTimeSuite {

  /** The number of the row at which the function `fails`. */
  @volatile private var failsAt = -1
}

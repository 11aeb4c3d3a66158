package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp

import scala.collection.mutable
import scala.util.Random

import io.muntin.Muntin
import io.muntin.functions.{resample, windowBy}
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types._

/**
 * `spark.muntin.stream.order=group`: each group has its own time. The rows of each group are in
 * order, and the groups are interleaved at random, with times that are years apart. Each
 * micro-batch emits the results of a batch over the rows of each group so far that the group's
 * newest row completes.
 */
final class GroupOrderSuite extends StreamSession {
  import GroupOrderSuite._
  import StreamSession.Readings

  override protected def settings: Map[String, String] =
    super.settings + (MuntinConf.StreamOrder.key -> "group")

  /** The groups alternate in runs, as a consumer has the rows of several partitions of a topic. */
  private def interleaved(random: Random, count: Int): Seq[Row] = {
    val clocks = mutable.SortedMap("a" -> 0L, "b" -> 40000000L, "c" -> -90000000L)
    val keys = clocks.keys.toVector
    var key = keys.head
    Seq.tabulate(count) { i =>
      if (random.nextInt(3) == 0) key = keys(random.nextInt(keys.size))
      val pause = if (random.nextInt(8) == 0) 40L else random.nextInt(6).toLong
      clocks(key) += 1L + pause
      val value = if (random.nextInt(6) == 0) null else random.nextGaussian() * 1e5
      Row(key, at(clocks(key)), i, value)
    }
  }

  /**
   * Returns the expected output of each micro-batch: the results of a batch over the rows so far
   * that the group's own rows have made final, without earlier final results.
   */
  private def expected(batches: Seq[Seq[Row]], query: Query): Seq[Seq[String]] = {
    val prefixes = batches.indices.map(n => batches.take(n + 1).flatten)
    // One batch for all prefixes: a group is the prefix with its key.
    val expanded = prefixes.zipWithIndex.flatMap { case (rows, n) =>
      rows.map(r => Row.fromSeq(s"$n|${r.getString(0)}" +: r.toSeq.tail))
    }
    val results = asked(query.sql)(table(Readings, expanded)).collect().toSeq.groupBy(prefixOf)
    val finals = prefixes.indices.map { n =>
      val times = prefixes(n).groupBy(_.getString(0)).map { case (key, rows) =>
        key -> rows.map(r => micros(r.getTimestamp(1)))
      }
      results.getOrElse(n, Nil).map(withoutPrefix).filter(r => query.isFinal(r, times(keyOf(r))))
    }
    finals.zip(Nil +: finals.init).map { case (now, before) => shown(now).diff(shown(before)) }
  }

  private def batch(query: Query, rows: Seq[Row]): Seq[String] =
    shown(asked(query.sql)(table(Readings, rows)).collect().toSeq)

  private def check(query: Query, batches: Seq[Seq[Row]], restarts: Set[Int]): Unit = {
    val found = streamed(Readings, batches, restarts)(asked(query.sql)).map(shown)
    val wanted = expected(batches, query)
    assert(wanted.flatten.nonEmpty)
    assert(found.take(batches.size) === wanted)
    assert(found.drop(batches.size).flatten === Nil)
    ()
  }

  for ((query, n) <- queries.zipWithIndex) {
    sampledTest(
      s"${query.name}: equals a batch of each group, in random micro-batches, over restarts",
      most = 3
    ) {
      val random = new Random(10L + n)
      val batches = cut(random, interleaved(random, 110), 40, 3)
      withConf(MuntinConf.StreamWarmMemory.key -> (if (n % 2 == 0) "0" else "64m")) {
        check(query, batches, chosen(random, batches, 3))
      }
    }

    sampledTest(s"${query.name}: row by row") {
      val random = new Random(20L + n)
      check(query, interleaved(random, 26).map(Seq(_)), Set(9, 17))
    }

    sampledTest(s"${query.name}: drained, equals a batch") {
      val random = new Random(30L + n)
      val rows = interleaved(random, 90)
      val (early, last) =
        drained(Readings, cut(random, rows, 30, 15), drain = true)(asked(query.sql))
      assert(early.nonEmpty)
      assert(shown(early ++ last) === batch(query, rows))
    }

    sampledTest(s"${query.name}: a watermark makes no row late and completes nothing") {
      val batches = interleaved(new Random(40L + n), 60).grouped(12).toSeq
      def found(query: Query)(rows: DataFrame => DataFrame) =
        streamed(Readings, batches)(df => asked(query.sql)(rows(df))).map(shown)
      assert(found(query)(_.withWatermark("t", "0 seconds")) === found(query)(identity))
    }
  }

  sampledTest("windows over OVER that emits rows as they arrive, and over a UNION of streams") {
    val random = new Random(50L)
    val rows = interleaved(random, 60)
    val batches = cut(random, rows, 20, 1)
    val sql =
      """SELECT i, s, n, sum(s) OVER (PARTITION BY k, i % 2 ORDER BY t RANGE INTERVAL 30 SECONDS
        |  PRECEDING) AS both FROM (
        |    SELECT *, sum(d) OVER (PARTITION BY k ORDER BY t ROWS 3 PRECEDING) AS s,
        |      count(*) OVER (PARTITION BY k, i % 3 ORDER BY t) AS n
        |    FROM (SELECT * FROM t UNION ALL SELECT concat(k, '2') AS k, t, i, d FROM t))
        |WHERE n > 1""".stripMargin
    val found = streamed(Readings, batches, Set(2))(asked(sql))
    val wanted = asked(sql)(table(Readings, rows)).collect().toSeq.groupBy(_.getInt(0))
    assert(found.take(batches.size).map(shown) === batches.map { rows =>
      shown(rows.flatMap(r => wanted.getOrElse(r.getInt(2), Nil)))
    })
  }

  private def reading(key: String, second: Long, i: Int): Row = Row(key, at(second), i, i.toDouble)

  private val running =
    "SELECT k, i, sum(i) OVER (PARTITION BY k ORDER BY t ROWS 1 PRECEDING) AS s FROM t"

  // The last row is below the newest row of a, and above the newest row of b.
  private val unordered = Seq(
    reading("a", 10L, 1),
    reading("b", 5L, 2),
    reading("b", 6L, 4),
    reading("a", 9L, 8),
    reading("b", 7L, 16),
    reading("a", 11L, 32)
  ).map(Seq(_))

  test("a row below the newest row of its own group is an error that shows both") {
    val error = intercept[Exception] {
      streamed(Readings, unordered, Set(2, 3))(asked(running))
    }
    assertCondition(
      error,
      "MUNTIN_ROW_OUT_OF_ORDER_IN_GROUP",
      "time" -> "2024-01-01 00:00:09",
      "newest" -> "2024-01-01 00:00:10"
    )
    assert(messages(error).contains("i = 8"))
  }

  test("or is dropped and counted, also after a restart; rows of other groups are not") {
    withConf(MuntinConf.StreamOutOfOrder.key -> "drop") {
      var most = 0L
      val found = streamed(
        Readings,
        unordered,
        Set(3),
        seen = p => most = math.max(most, metric(p, "numRowsOutOfOrder").getOrElse(0L))
      )(asked(running))
      assert(found.map(_.map(_.getLong(2))) ===
        Seq(Seq(1L), Seq(2L), Seq(6L), Nil, Seq(20L), Seq(33L), Nil))
      assert(most === 1L)
    }
  }

  test("the rows of a group in one micro-batch are sorted") {
    val rows = Seq(Seq(reading("a", 10L, 1), reading("a", 9L, 2), reading("b", 1L, 8)))
    val found = streamed(Readings, rows)(asked(running)).flatten
    assert(shown(found) === Seq("[a, 1, 3]", "[a, 2, 2]", "[b, 8, 8]"))
  }

  test("numbers are times, and all rows may be one group") {
    val schema = StructType.fromDDL("k string, n int")
    val rows = Seq(Row("a", 10), Row("b", 1), Row("a", 20), Row("b", 15), Row("a", 35))
    val sums = "SELECT k, n, sum(n) OVER (PARTITION BY k ORDER BY n RANGE 10 PRECEDING) AS s FROM t"
    assert(streamed(schema, rows.map(Seq(_)), Set(2))(asked(sums)).map(_.map(_.getLong(2))) ===
      Seq(Seq(10L), Seq(1L), Seq(30L), Seq(15L), Seq(35L), Nil))
    val all = "SELECT n, sum(n) OVER (ORDER BY n ROWS 1 PRECEDING) AS s FROM t"
    val inOrder = rows.sortBy(_.getInt(1))
    assert(streamed(schema, inOrder.map(Seq(_)))(asked(all)).flatten.map(_.getLong(1)) ===
      Seq(1L, 11L, 25L, 35L, 55L))
    val error = intercept[Exception](streamed(schema, rows.map(Seq(_)))(asked(all)))
    assertCondition(
      error,
      "MUNTIN_ROW_OUT_OF_ORDER_IN_GROUP",
      "time" -> "1",
      "newest" -> "10"
    )
  }

  test("a quiet group stays in the state: its next row has its frame and its order") {
    var groups = 0L
    val rows = reading("a", 1L, 1) +: Seq.tabulate(20)(i => reading(s"k$i", 1000L * i, 2)) :+
      reading("a", 2L, 4)
    val found = streamed(
      Readings,
      rows.map(Seq(_)),
      Set(11),
      seen = p => groups = math.max(groups, metric(p, "numGroups").getOrElse(0L))
    )(asked(
      """SELECT sum(i) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 1 MINUTE PRECEDING) AS s
        |FROM t""".stripMargin
    ))
    assert(found(21) === Seq(Row(5L)))
    assert(groups === 21L)
  }

  test("a group without an open window keeps its time") {
    // A row that is never valid opens no window.
    val rows = Seq(reading("a", 10L, 0), reading("a", 9L, 31)).map(Seq(_))
    val error = intercept[Exception] {
      streamed(Readings, rows)(asked(counted(s"validity(t, $until)")))
    }
    assertCondition(error, "MUNTIN_ROW_OUT_OF_ORDER_IN_GROUP")
  }

  sampledTest("pending: windows that the last rows of each group have not completed") {
    for (query <- queries.filter(_.isFinal ne always)) {
      val rows = interleaved(new Random(60L), 60)
      val checkpoint = temporary()
      val source = new Source(Readings)
      val answers = new Answers(checkpoint)
      source.add(rows)
      def frame = asked(query.sql)(source.rows)
      answers.start(frame, Trigger.AvailableNow()).awaitTermination()
      val early = answers.next()
      val open = Muntin.pending(frame, checkpoint.toString).collect().toSeq
      assert(early.nonEmpty && open.nonEmpty)
      assert(shown(early ++ open) === batch(query, rows))
    }
  }

  test("a checkpoint belongs to its order") {
    val checkpoint = temporary()
    assert(streamed(Readings, unordered.take(2), checkpoint = checkpoint)(asked(running)).nonEmpty)
    withConf(MuntinConf.StreamOrder.key -> "arrival") {
      assertRefused(
        "MUNTIN_CHECKPOINT_OF_OTHER_QUERY",
        "stored" -> "group",
        "current" -> "arrival"
      )(streamed(Readings, Nil, checkpoint = checkpoint)(asked(running)))
    }
  }

  private def refused(condition: String, parameters: (String, String)*)(
      query: DataFrame => DataFrame
  ): Unit = assertRefused(condition, parameters: _*) {
    val rows = new Source(Readings).rows.withWatermark("t", "1 minute")
    new Answers().start(query(rows)).stop()
  }

  private def counted(window: String): String =
    s"SELECT k, $window AS w, count(*) AS n FROM t GROUP BY k, $window"

  private val leading = "SELECT k, t, lead(i) OVER (PARTITION BY k ORDER BY t) AS n FROM t"

  test("windows that require a time of all groups are rejected") {
    val ofAll = Seq(counted("ticks(t, 'minutely')"), counted("field_window(t, 30, 10, every => 4)"))
    ofAll.foreach { sql =>
      refused("MUNTIN_WINDOWS_OF_ALL_GROUPS")(asked(sql))
    }
    refused("MUNTIN_DUMP_AT_IN_ORDER_OF_ARRIVAL")(
      asked(counted("validity(t, t + INTERVAL 1 MINUTE, dump_at => 4)"))
    )
    refused("MUNTIN_BOUND_IN_GROUP_ORDER", "function" -> "OVER")(
      asked(s"$running WHERE NOT bound(k IS NULL)")
    )
    withConf(MuntinConf.StreamCloseAfter.key -> "60s") {
      refused("MUNTIN_CLOSE_AFTER_IN_GROUP_ORDER", "function" -> "tumble")(
        asked(counted("tumble(t, 10)"))
      )
    }
  }

  private def byAnchors(source: DataFrame, anchors: DataFrame, isOrdered: Boolean = false) =
    windowBy(
      source,
      anchors,
      col("t"),
      col("at") - expr("INTERVAL 5 SECONDS"),
      col("at") + expr("make_dt_interval(0, 0, 0, j % 40)"),
      Seq("k"),
      ordered = isOrdered
    ).agg(count("*").as("n"), sum("i").as("s")).asInstanceOf[DataFrame]

  private def anchors(df: DataFrame) = df.where("i % 3 = 0").selectExpr("k", "t AS at", "i AS j")

  test("window_by: the anchors must be rows of the source's stream") {
    val of = "MUNTIN_WINDOW_BY_OF_SEVERAL_STREAMS"
    refused(of)(df => byAnchors(df, anchors(new Source(Readings).rows)))
    refused(of)(df => byAnchors(df, anchors(table(Readings, Nil))))
    refused(of)(df => byAnchors(df.union(df), anchors(df)))
    refused(of)(df => byAnchors(df.where("rand() < 0.5"), anchors(df)))
    refused("MUNTIN_INVALID_ARGUMENT_TYPE", "type" -> "DOUBLE") { df =>
      windowBy(df, anchors(df), col("d"), lit(1.0), lit(2.0), Seq("k")).agg(count("*"))
        .asInstanceOf[DataFrame]
    }
  }

  sampledTest("window_by, ordered: the anchors of each group are emitted in its order") {
    val rows = interleaved(new Random(80L), 90)
    val (early, last) = drained(Readings, cut(new Random(81L), rows, 30, 15), drain = true) { df =>
      byAnchors(df, anchors(df), isOrdered = true)
    }
    val in = table(Readings, rows)
    val all = early ++ last
    assert(early.size > 10)
    assert(shown(all) === shown(byAnchors(in, anchors(in)).collect().toSeq))
    all.groupBy(_.getString(0)).values.foreach { group =>
      val times = group.map(_.getTimestamp(1).getTime)
      assert(times === times.sorted)
    }
  }

  sampledTest(
    "window_by: rows and anchors of equal times, numbers as times, and keys of two columns",
    most = 3
  ) {
    val schema = StructType.fromDDL("k string, n int, of string, x int")
    val random = new Random(82L)
    val rows = Seq.tabulate(80) { i =>
      Row(s"k${random.nextInt(2)}", i / 4, s"k${random.nextInt(2)}", if (i % 9 == 0) null else i)
    }
    val sql =
      """SELECT * FROM window_by(
        |  TABLE(SELECT k, n AS t, x AS y FROM t), TABLE(SELECT k AS kk, of, n, x FROM t WHERE x > 7),
        |  'sum(y) AS s, count(*) AS c', 't', 'n - x % 5', 'n + x % 3', 'k = of')""".stripMargin
    for (batches <- Seq(rows.map(Seq(_)), rows.grouped(16).toSeq)) {
      val found = streamed(schema, batches, Set(3))(asked(sql)).flatten
      val wanted = asked(sql)(table(schema, rows)).collect().toSeq
      // An anchor waits for a later row of its group.
      val newest = rows.map(_.getInt(1)).max
      val isFinal = (r: Row) => r.getInt(2) + r.getInt(3) % 3 < newest
      assert(wanted.count(isFinal) > 50)
      assert(shown(found) === shown(wanted.filter(isFinal)))
    }
  }

  test("window_by: a column is not computed for rows that its condition removes") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      val sql =
        "SELECT * FROM window_by(TABLE(t), TABLE(SELECT k, t AS at, 100 / i AS part FROM t " +
          "WHERE i <> 0), 'count(*) AS n', 't', 'at - INTERVAL 9 SECONDS', 'at', 'k')"
      val rows = Seq(reading("a", 1L, 0), reading("a", 3L, 50), reading("a", 5L, 10))
      assert(streamed(Readings, Seq(rows))(asked(sql)).flatten.map(_.getDouble(2)) === Seq(2.0))
    }
  }

  test("window_by: the time is not computed for rows that the conditions remove") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      val sql =
        "SELECT * FROM window_by(TABLE(SELECT k, n FROM (SELECT k, i, 100 DIV i AS n FROM t) " +
          "WHERE i <> 0), TABLE(SELECT k, 100 DIV i AS m FROM t WHERE i <> 0), " +
          "'count(*) AS c', 'n', 'm - 9', 'm', 'k')"
      val rows = Seq(reading("a", 1L, 0), reading("a", 3L, 50), reading("a", 5L, 10))
      assert(streamed(Readings, Seq(rows))(asked(sql)).flatten === Seq(Row("a", 2, 1L)))
    }
  }

  test("window_by: with windows that start a fixed interval from their row, rows are evicted") {
    val sql =
      "SELECT * FROM window_by(TABLE(t), TABLE(SELECT k, t AS at FROM t), 'count(*) AS n', " +
        "'t', 'at - INTERVAL 9 SECONDS', 'at + INTERVAL 4 SECONDS', 'k')"
    var most = 0L
    def streamedSql(): Unit = {
      val rows = Seq.tabulate(60)(i => reading("a", i.toLong, i))
      streamed(
        Readings,
        rows.grouped(10).toSeq,
        Set(2),
        seen = p => most = math.max(most, metric(p, "numRowsBuffered").getOrElse(0L))
      )(asked(sql)): Unit
    }
    withConf(MuntinConf.StreamUnbounded.key -> "error")(streamedSql())
    assert(most > 0L && most < 30L)
    withConf(MuntinConf.StreamUnbounded.key -> "error") {
      refused("MUNTIN_MISSING_OBSOLETE")(asked(sql.replace("9 SECONDS", "9 SECONDS * day(at)")))
    }
  }

  sampledTest("resample: drained fill equals a batch, and aggregates are rejected") {
    val random = new Random(70L)
    val rows = interleaved(random, 60)
    for (method <- Seq("last", "linear")) {
      def filled(df: DataFrame): DataFrame =
        resample(df, "t", "3 seconds", Seq("k")).fill(method).drop("i").asInstanceOf[DataFrame]
      val (early, last) = drained(Readings, cut(random, rows, 20, 15), drain = true)(filled)
      assert(early.nonEmpty)
      assert(shown(early ++ last) === shown(filled(table(Readings, rows)).collect().toSeq))
    }
    refused("MUNTIN_UPSTREAM_WAITS_IN_GROUP_ORDER", "upstream" -> "field_window") { df =>
      resample(df, "t", "7 seconds", Seq("k")).agg(count("*").as("n")).asInstanceOf[DataFrame]
    }
  }

  test("windows over windows that wait for rows are rejected") {
    Seq(
      s"SELECT sum(n) OVER (PARTITION BY k ORDER BY e) FROM (SELECT k, w.end AS e, n FROM (" +
        s"${counted("tumble(t, 10)")}))" -> "tumble",
      s"SELECT count(n) OVER (PARTITION BY k ORDER BY t ROWS 1 PRECEDING) FROM ($leading)" ->
        "OVER",
      s"SELECT k, tumble(t, 10) AS w, count(n) FROM ($leading UNION ALL SELECT k, t, i FROM t) " +
        "GROUP BY k, tumble(t, 10)" -> "OVER"
    ).foreach { case (sql, upstream) =>
      refused("MUNTIN_UPSTREAM_WAITS_IN_GROUP_ORDER", "upstream" -> upstream)(asked(sql))
    }
  }

  test("Spark's stateful operators by the time of waiting rows are rejected") {
    val following =
      """SELECT t, count(*) OVER (PARTITION BY k ORDER BY t
        |  RANGE BETWEEN CURRENT ROW AND INTERVAL 9 SECONDS FOLLOWING) AS n FROM t""".stripMargin
    val ended = s"SELECT w.end AS t, n FROM (${counted("tumble(t, 10)")})"
    Seq(leading, following, ended).foreach { rows =>
      refused("MUNTIN_ROWS_LAG_WATERMARK")(asked(
        s"SELECT window(t, '1 minute'), count(n) FROM ($rows) GROUP BY window(t, '1 minute')"
      ))
    }
  }
}

object GroupOrderSuite {

  /**
   * A query over the table `t`.
   *
   * @param isFinal
   *   whether a result can no longer change, by the times of its group's rows so far
   */
  private final case class Query(name: String, sql: String)(
      val isFinal: (Row, Seq[Long]) => Boolean
  )

  private val always: (Row, Seq[Long]) => Boolean = (_, _) => true

  private def micros(time: Timestamp): Long = time.getTime * 1000L

  private def keyOf(row: Row): String = row.getString(0)

  private def prefixOf(row: Row): Int = keyOf(row).takeWhile(_ != '|').toInt

  private def withoutPrefix(row: Row): Row =
    Row.fromSeq(keyOf(row).dropWhile(_ != '|').tail +: row.toSeq.tail)

  private val w = "OVER (PARTITION BY k ORDER BY t"

  private val back = Query(
    "OVER, frames that look back",
    s"""SELECT k, t, i,
       |  sum(d) $w RANGE INTERVAL 20 SECONDS PRECEDING) AS a,
       |  median(d) $w ROWS 9 PRECEDING) AS b,
       |  avg(d) $w) AS c,
       |  framed(count(*), closed => 'right') $w RANGE INTERVAL 9 SECONDS PRECEDING) AS d2,
       |  since(collect_list(i), i % 10 = 0) $w) AS e,
       |  sliding(max(d), 4, i % 2 = 0) $w) AS f,
       |  lag(i, 2) $w) AS g,
       |  session(count(*), 15) $w) AS h,
       |  session_number(15) $w) AS j,
       |  rank() $w) AS l
       |FROM t""".stripMargin
  )(always)

  private val ahead = Query(
    "OVER, frames that look ahead",
    s"""SELECT k, t, i,
       |  sum(d) $w RANGE BETWEEN INTERVAL 5 SECONDS PRECEDING AND INTERVAL 9 SECONDS FOLLOWING)
       |    AS a,
       |  lead(i, 2) $w) AS b,
       |  framed(collect_list(i), complete => true) $w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
       |    AS c
       |FROM t""".stripMargin
  ) { (row, times) =>
    val t = micros(row.getTimestamp(1))
    times.max > t + 9000000L && times.count(_ > t) >= 2
  }

  private val until = "t + make_dt_interval(0, 0, 0, i % 31)"

  private def windows(name: String, end: String, calls: String*)(
      isClosed: (Long, Long) => Boolean
  ): Query = Query(
    name,
    calls.map { call =>
      s"""SELECT k, "$call" AS window, string(w) AS w, unix_micros(w.$end) AS until, n, total FROM (
         |  SELECT k, $call AS w, count(*) AS n, sum(d) AS total FROM t GROUP BY k, $call)"""
        .stripMargin
    }.mkString("\nUNION ALL\n")
  )((row, times) => row.isNullAt(3) || isClosed(row.getLong(3), times.max))

  private def anchored(name: String, source: String, anchors: String, more: String): Query = Query(
    name,
    s"""SELECT k, at, i, unix_micros(until), n, total, list FROM window_by(
       |  TABLE(SELECT k, t, d, i AS j FROM t WHERE $source),
       |  TABLE(SELECT k, t AS at, i, $until AS until FROM t WHERE $anchors),
       |  'count(*) AS n, sum(d) AS total, collect_list(j) AS list',
       |  time => 't', end => 'until', on => 'k', $more)""".stripMargin
  )((row, times) => times.max > math.max(micros(row.getTimestamp(1)), row.getLong(3)))

  private val queries: Seq[Query] = Seq(
    back,
    ahead,
    windows("tumble and hop", "end", "tumble(t, 10)", "hop(t, 5, 20)")(_ <= _),
    windows(
      "field_window",
      "close",
      "field_window(t, 10)",
      "field_window(t, 30, 7, open => 'all')"
    )(_ <= _),
    windows("sessions", "end", "sessions(t, 12)")(_ < _),
    windows(
      "validity",
      "end",
      s"validity(t, $until)",
      s"validity(t, $until, emit => 'element')"
    )(_ <= _),
    Query(
      "asof, of one stream with itself",
      """SELECT l.k, l.t, l.i, j, u FROM t l
        |LEFT JOIN (SELECT k, t AS u, i AS j FROM t WHERE i % 3 = 0) r
        |ON l.k = r.k AND asof(l.t, r.u, tolerance => INTERVAL 9 SECONDS)""".stripMargin
    )((row, times) => times.max > micros(row.getTimestamp(1))),
    anchored("window_by", "true", "i % 3 = 0", "start => 'at - INTERVAL 20 SECONDS'"),
    anchored(
      "window_by with obsolete",
      "i % 4 <> 1",
      "true",
      "start => 'at - make_dt_interval(0, 0, 0, i % 9)', closed => 'left', " +
        "obsolete => 'at - INTERVAL 9 SECONDS'"
    )
  )
}

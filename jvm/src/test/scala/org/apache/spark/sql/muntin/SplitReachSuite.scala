package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.muntin.execution.split.MuntinSampleExec

/**
 * Split partitions whose frames reach back or ahead to rows that must be searched, and frames with
 * holes: the bits of the unsplit query, at every cut. A failure shows its seed and query; `testOnly
 * *SplitReachSuite -- -z "query 17,"` runs only this query.
 */
class SplitReachSuite extends SplitSession {
  import SplitReachSuite._

  private val queries = Integer.getInteger("muntin.queries", Repeats(30)).intValue
  private val seeds = Repeats.first(30) until Repeats.first(30) + queries

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "one", rows = 300, seed = 12)
    // Written by several mappers.
    val one = spark.table("one")
    Tables.of(spark, one.collect().toSeq, one.schema, slices = 3)
      .createOrReplaceTempView("t")
    spark
      .range(0, 60000, 1, 3)
      .selectExpr(
        "id",
        "id * 7919 % 60000 AS t",
        "id % 7 AS v",
        "if(id % 3 = 0, repeat('long', 50), NULL) AS text"
      )
      .createOrReplaceTempView("even")
  }

  seeds.foreach { seed =>
    sampledTest(s"query $seed, split at random places", most = 2) {
      val random = new Random(seed.toLong)
      val query = new ReachQuery(random).sql
      val conf = Seq(
        "spark.muntin.over.forceSpill" -> (seed % 4 == 0).toString,
        "spark.muntin.exchange.enabled" -> (seed % 3 > 0).toString
      )
      val chunks = withConf(conf: _*)(sameBits(query, Seq(seed.toLong), 3 + random.nextInt(5)))
      assert(chunks > 1L, query)
    }
  }

  test("many random queries have halos that are too small at first") {
    // Of all queries, because the sample of a day has few.
    assume(Repeats.isLong)
    assert(queriesReadAgain * 3 >= queries)
  }

  private val keys = Seq("", "PARTITION BY k")

  sampledTest("frames with holes") {
    for (k <- keys; exclude <- Seq("current row", "group", "ties")) {
      def framed(function: String, frame: String) =
        s"framed($function, exclude => '$exclude') OVER ($k ORDER BY i32 $frame)"
      val rows = "ROWS BETWEEN 5 PRECEDING AND 4 FOLLOWING"
      val range = "RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING"
      val items = for {
        frame <- Seq(rows, range)
        f <- Seq("sum(x)", "min(s)", "collect_list(id)", "nth(id, 2)", "median(i64)")
      } yield framed(f, frame)
      assertSplit(selected(items))
      // On one side of the row.
      assertSplit(selected(Seq(framed("sum(x)", "ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING"))))
    }
  }

  test("rows that arrived later") {
    for ((arrival, i) <- Seq("id", "x", "i8", "s").zipWithIndex) {
      val k = keys(i % 2)
      val items = for {
        frame <- Seq(
          "RANGE BETWEEN 3 PRECEDING AND CURRENT ROW",
          "RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING",
          "ROWS BETWEEN 4 PRECEDING AND 1 FOLLOWING",
          "RANGE CURRENT ROW"
        )
        exclude <- Seq("no others", "current row", "group")
        over = s"OVER ($k ORDER BY i32 $frame)"
        f <- Seq("sum(x)", "collect_list(id)")
      } yield s"framed($f, arrival => $arrival, exclude => '$exclude') $over"
      assertSplit(selected(items))
    }
    assertSplit(selected(Seq("framed(sum(x), arrival => id) OVER (ORDER BY i32)")))
  }

  test("frames without missing rows") {
    for ((closed, i) <- Seq("both", "left", "neither").zipWithIndex) {
      val k = keys(i % 2)
      val items = for {
        frame <- Seq(
          "ROWS BETWEEN 5 PRECEDING AND 4 FOLLOWING",
          "ROWS BETWEEN 6 PRECEDING AND 2 PRECEDING",
          "ROWS BETWEEN 1 FOLLOWING AND 7 FOLLOWING",
          "ROWS BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING"
        )
        exclude <- Seq("no others", "current row")
        if !(frame.contains("UNBOUNDED") && exclude == "current row")
      } yield s"framed(sum(x), closed => '$closed', exclude => '$exclude', complete => true) " +
        s"OVER ($k ORDER BY id $frame)"
      assertSplit(selected(items))
    }
  }

  sampledTest("since") {
    for ((condition, i) <- conditions.zipWithIndex) {
      val k = keys(i % 2)
      val items = for {
        (n, closed) <- Seq(1 -> "right", 3 -> "right", 1 -> "left", 3 -> "left")
        f <- Seq("sum(x)", "collect_list(id)", "last(s)", "max(i32)", "histogram_numeric(y / 3, 4)")
      } yield s"since($f, $condition, $n, closed => '$closed') OVER ($k ORDER BY i32)"
      assertSplit(selected(items))
      // A state that could be saved.
      assertSplit(selected(items.take(1)))
    }
  }

  sampledTest("sliding with a condition") {
    for ((condition, i) <- conditions.zipWithIndex) {
      val k = keys(i % 2)
      val items = for {
        n <- Seq(1, 4, 40)
        f <- Seq("sum(x)", "collect_list(id)", "histogram_numeric(y / 3, 4)")
        partial <- Seq(true, false)
      } yield s"sliding($f, $n, $condition, $partial) OVER ($k ORDER BY i32)"
      assertSplit(selected(items))
    }
  }

  sampledTest("lead and lag that ignore nulls, and the last rows of frames that grow") {
    for (k <- keys) {
      val offsets = for {
        f <- Seq("lead", "lag")
        arguments <- Seq("x", "i8, 4", "s, 2, lc", "CAST(NULL AS INT), 1, i32")
      } yield s"$f($arguments) IGNORE NULLS OVER ($k ORDER BY i32)"
      assertSplit(selected(offsets))
      // Separately, because the halos of other functions would be sufficient.
      for (alone <- Seq("lead(i8, 4)", "lag(i8, 4)")) {
        val query = selected(Seq(s"$alone IGNORE NULLS OVER ($k ORDER BY i32)"))
        assert(sameBits(query, 1L to 3L) > 1L)
      }
      val last = for {
        f <- Seq("last(x, true)", "last(s)", "last(x, true) FILTER (WHERE flag)")
        until <- Seq(
          "ROWS UNBOUNDED PRECEDING",
          "ROWS BETWEEN UNBOUNDED PRECEDING AND 5 PRECEDING",
          "ROWS BETWEEN UNBOUNDED PRECEDING AND 5 FOLLOWING",
          "RANGE UNBOUNDED PRECEDING",
          "RANGE BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING"
        )
      } yield s"$f OVER ($k ORDER BY i32 $until)"
      assertSplit(selected(last))
    }
  }

  sampledTest("together with frames that grow, ranks, and frames of rows") {
    for (k <- keys) {
      val sought = Seq(
        s"since(sum(x), flag) OVER ($k ORDER BY i32)",
        s"since(histogram_numeric(y / 3, 4), i32 % 4 = 0, 2) OVER ($k ORDER BY i32)",
        s"sliding(histogram_numeric(y / 3, 4), 20, x > 0) OVER ($k ORDER BY i32)",
        s"lag(x, 2) IGNORE NULLS OVER ($k ORDER BY i32)",
        s"lead(s, 2) IGNORE NULLS OVER ($k ORDER BY i32)",
        s"framed(sum(x), exclude => 'ties') OVER ($k ORDER BY i32 ROWS BETWEEN 4 PRECEDING AND CURRENT ROW)"
      )
      val others = Seq(
        s"sum(y) OVER ($k ORDER BY i32 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)",
        s"rank() OVER ($k ORDER BY i32)",
        s"avg(x) OVER ($k ORDER BY i32 ROWS 9 PRECEDING)"
      )
      for (other <- others) assertSplit(selected(sought :+ other))
      for (one <- sought)
        assertSplit(selected(others :+ one))
    }
  }

  test("conditions over columns that the table does not have") {
    assertSplit(selected(Seq("since(sum(y / 3), i32 * 2 > x + 1) OVER (ORDER BY id DESC)")))
    val most = "(SELECT avg(v) FROM even)"
    assertSplit(selected(Seq(s"since(sum(x), x > $most) OVER (ORDER BY id)")))
    assertSplit(
      "SELECT id, since(count(*), p > 1) OVER (PARTITION BY k ORDER BY id) AS r FROM " +
        "(SELECT id, k % 2 AS k, x * 2 AS p FROM t WHERE id % 5 <> 0)"
    )
  }

  test("windows that stay in one task") {
    // Rows that leave and rows that stay forever.
    assertWhole(selected(Seq("framed(sum(x), exclude => 'group') OVER (ORDER BY id RANGE BETWEEN " +
      "UNBOUNDED PRECEDING AND 1 FOLLOWING)")))
    // Blocks of rows begin at the start of a piece.
    assertWhole(selected(Seq("framed(histogram_numeric(y, 4), exclude => 'current row') OVER " +
      "(ORDER BY id ROWS BETWEEN 30 PRECEDING AND 30 FOLLOWING)")))
    assertWhole(selected(Seq("nth_value(x, 3) IGNORE NULLS OVER (ORDER BY id)")))
    assertWhole(selected(Seq("last(x, true) OVER (ORDER BY i32 RANGE BETWEEN UNBOUNDED PRECEDING " +
      "AND 2 PRECEDING)")))
    assertWhole(selected(Seq("sliding(sum(x), 100000, flag) OVER (ORDER BY id)")))
  }

  sampledTest("the sample estimates the distance of required rows") {
    withConf("spark.muntin.split.chunkSize" -> "4k") {
      def chunksOf(function: String): (Long, Long) = {
        val query = s"SELECT * FROM (SELECT id, $function OVER (ORDER BY t) AS r FROM even) " +
          "WHERE id % 20 = 0"
        val (frame, rows) = run(query)
        val unsplit = withConf("spark.muntin.split.enabled" -> "false")(run(query))
        assert(split(unsplit._1) == 0)
        assert(rows == unsplit._2)
        (chunks(frame), rereads(frame))
      }
      val near = Seq(
        "since(sum(v), v = 3)",
        "since(sum(v), t % 300 = 0)",
        "since(sum(v), t % 100 = 0, n => 20)",
        "since(sum(v), t % 100 = 0, n => 20, closed => 'left')",
        "sliding(sum(v), 500, v = 3)",
        "lag(text, 3) IGNORE NULLS",
        "lead(text, 3) IGNORE NULLS",
        // Every 40 rows, except for a gap around the middle.
        "since(sum(v), t % 40 = 0 AND (t < 22000 OR t > 35000))"
      )
      for (function <- near) assert(chunksOf(function) == ((2L, 0L)), function)
      // No such rows, or only distant rows.
      val far =
        Seq("since(sum(v), v > 7)", "since(sum(v), t < 1000)", "sliding(sum(v), 30000, v < 5)")
      for (function <- far) assert(chunksOf(function) == ((0L, 0L)), function)
    }
  }

  test("the sample records whether a condition holds, not its columns") {
    val (frame, _) = run("SELECT id, lag(text) IGNORE NULLS OVER (ORDER BY t) AS r FROM even")
    val drawn = nodes(frame) { case s: ShuffleQueryStageExec => s.shuffle }.flatMap(_.collect {
      case s: MuntinSampleExec => s
    })
    assert(drawn.head.columns.map(_.dataType.sql) == Seq("BIGINT", "BOOLEAN"))
    withConf("spark.sql.codegen.wholeStage" -> "false") {
      assertSplit("SELECT id, lag(text) IGNORE NULLS OVER (ORDER BY t) AS r FROM even")
    }
  }

  sampledTest("a reused shuffle is split by the conditions of its sample") {
    def since(v: Int) = s"SELECT id, since(sum(v), v = $v) OVER (ORDER BY t) AS r FROM even"
    def joined(left: Int, right: Int) =
      s"SELECT a.id, a.r, b.r FROM (${since(left)}) a JOIN (${since(right)}) b ON a.id = b.id " +
        "AND a.r <= b.r + 1000"
    assert(sameBits(joined(3, 3)) > 4L)
    assert(sameBits(joined(3, 4)) > 1L)
  }
}

private object SplitReachSuite {

  /** Conditions that hold for most rows, for few, for all or for none, or are null. */
  val conditions: Seq[String] =
    Seq("flag", "x > 0", "id % 50 = 7", "s = 'a'", "true", "i8 > 100", "CAST(NULL AS BOOLEAN)")

  def selected(items: Seq[String]): String =
    s"SELECT id, ${items.zipWithIndex.map { case (e, i) => s"$e AS r$i" }.mkString(",\n  ")} FROM t"

  /** A random query of frames whose ends must be searched, or with holes. */
  final class ReachQuery(random: Random) {
    private def pick[T](values: T*): T = values(random.nextInt(values.size))

    private def any = pick(RandomQuery.names: _*)
    private def number = pick("i8", "i32", "i64", "d5", "d18", "x", "y", "f")

    private val keys = pick("", "", "PARTITION BY k", "PARTITION BY k % 2", "PARTITION BY flag, lc")
    private val direction = pick("", "DESC", "DESC NULLS FIRST", "ASC NULLS LAST")

    private def condition = pick(
      conditions ++ Seq(
        s"$any IS NULL",
        s"$any IS NOT NULL",
        "x < y",
        "i32 % 5 = 0",
        "id % 40 IN (3, 17)",
        "lc > 'b'",
        "i16 > 15"
      ): _*
    )

    private val byRows = random.nextInt(3) == 0

    private def ends(offset: Int => String): String = {
      val low = random.nextInt(9) - 6
      val high = low + random.nextInt(6)
      def bound(place: Int) =
        if (place == 0) "CURRENT ROW"
        else if (place < 0) s"${offset(-place)} PRECEDING"
        else s"${offset(place)} FOLLOWING"
      s"BETWEEN ${bound(low)} AND ${bound(high)}"
    }

    // Few peers, or many.
    private val (order, offset) = pick[(String, Int => String)](
      "i32" -> (i => s"$i"),
      "id" -> (i => s"${i * 7}"),
      "i64" -> (i => s"${i * 2000000000L}L"),
      "x" -> (i => s"${i * 15.5}D"),
      "d5" -> (i => s"$i.25"),
      "day" -> (i => s"INTERVAL '$i' DAY"),
      "ts" -> (i => s"INTERVAL '$i' HOUR"),
      "i16" -> (i => s"${i}S")
    )

    private def frame =
      if (byRows) s"ROWS ${ends(i => s"${i * 3}")}" else s"RANGE ${ends(offset)}"

    private val by =
      if (byRows) s"$order $direction${pick("", ", id", ", lc")}" else s"$order $direction"

    private def function = pick(
      s"sum($number)",
      s"avg($number)",
      "count(*)",
      s"count($any)",
      s"min($any)",
      s"max($any)",
      s"stddev($number)",
      s"first($any)",
      s"last($any, true)",
      s"nth($any, 2)",
      s"collect_list($any)",
      s"count(DISTINCT ${pick(RandomQuery.countable: _*)})",
      s"median(${pick(RandomQuery.ranked: _*)})",
      "mode(i8)",
      s"max_by($any, id)",
      "listagg(s, '-')",
      s"sum($number) FILTER (WHERE $condition)"
    )

    // All frames of a query arrive by one column; otherwise every second frame would need the rows
    // of the first together.
    private val arrival = if (random.nextInt(3) == 0) Some(pick("id", "x", "s", "i8")) else None

    private def framed: String = {
      val options = Seq(
        arrival.map(a => s"arrival => $a"),
        pick(None, Some(s"closed => '${pick("left", "right", "neither")}'")),
        pick(None, Some(s"exclude => '${pick("current row", "group", "ties")}'")),
        if (byRows) pick(None, Some("complete => true")) else None
      ).flatten
      s"framed(${(function +: options).mkString(", ")}) OVER ($keys ORDER BY $by $frame)"
    }

    private def over = s"OVER ($keys ORDER BY $by)"

    private def sought: String = random.nextInt(8) match {
      case 0 | 1 => s"since($function, $condition) $over"
      case 2 =>
        val closed = pick("right", "left")
        s"since($function, $condition, ${1 + random.nextInt(5)}, closed => '$closed') $over"
      case 3 | 4 =>
        s"sliding($function, ${1 + random.nextInt(9)}, $condition, ${random.nextBoolean()}) $over"
      case 5 => s"${pick("lead", "lag")}($any, ${1 + random.nextInt(4)}) IGNORE NULLS $over"
      case 6 => s"last($any, true) $over"
      case _ =>
        s"sliding(histogram_numeric(y / 3, 4), ${10 + random.nextInt(30)}, $condition) $over"
    }

    private def other: String = pick(
      s"sum($number) $over",
      s"rank() $over",
      s"count(*) OVER ($keys ORDER BY $by ROWS UNBOUNDED PRECEDING)",
      s"avg($number) OVER ($keys ORDER BY $by $frame)"
    )

    val sql: String = {
      val items = Seq.fill(1 + random.nextInt(3)) {
        if (arrival.isDefined) framed else if (random.nextInt(3) == 0) framed else sought
      }
      val all = if (arrival.isEmpty && random.nextBoolean()) items :+ other else items
      selected(all)
    }
  }
}

package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.muntin.execution.over.MuntinWindowExec
import org.apache.spark.sql.muntin.execution.split.{MuntinSampleExec, SplitReadExec}

/**
 * Partitions that are split over tasks: the bits of the unsplit query, for any cuts. A failure
 * shows its seed and query; `testOnly *SplitSuite -- -z "query 17,"` runs only this query.
 */
class SplitSuite extends SplitSession {
  import SplitSuite._

  private val queries = Integer.getInteger("muntin.queries", Repeats(40)).intValue
  private val seeds = Repeats.first(40) until Repeats.first(40) + queries

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "one", rows = 300, seed = 11)
    // Written by several mappers.
    val one = spark.table("one")
    Tables.of(spark, one.collect().toSeq, one.schema, slices = 3)
      .createOrReplaceTempView("t")
    spark
      .range(0, 60000, 1, 3)
      .selectExpr(
        "id",
        "if(id % 10 = 0, id % 400, -1) AS k",
        "id * 7919 % 60000 AS t",
        "id % 7 AS v"
      )
      .createOrReplaceTempView("skewed")
    spark
      .range(0, 60000, 1, 3)
      // Numbers that take several bytes in a shuffle.
      .selectExpr("id", "id % 300 AS k", "id * 7919 % 60000 AS t", "id * 48271 % 2147483647 AS v")
      .createOrReplaceTempView("even")
  }

  private var splitQueries = 0

  seeds.foreach { seed =>
    test(s"query $seed, split at random places") {
      val random = new Random(seed.toLong)
      val query = new SplitQuery(random).sql
      val conf = Seq(
        "spark.sql.ansi.enabled" -> random.nextBoolean().toString,
        "spark.sql.session.timeZone" -> (if (random.nextBoolean()) "UTC" else "America/New_York"),
        "spark.muntin.over.forceSpill" -> (seed % 3 == 0).toString,
        "spark.muntin.exchange.enabled" -> (seed % 4 > 0).toString
      )
      if (withConf(conf: _*)(sameBits(query, Seq(seed.toLong), 2 + random.nextInt(6))) > 1L)
        splitQueries += 1
    }
  }

  test(
    "most random queries are split, many exchanged, and many have halos that are too small at first"
  ) {
    assert(splitQueries * 2 >= queries)
    // Of all queries, because the sample of a day has few.
    assume(Repeats.isLong)
    assert(queriesExchanged * 4 >= queries)
    assert(queriesReadAgain * 5 >= queries)
  }

  sampledTest("frames of rows and values, positions and ranks, with and without keys") {
    for (keys <- Seq("", "PARTITION BY k", "PARTITION BY flag, k")) {
      assertSplit(
        s"SELECT id, sum(x) OVER ($keys ORDER BY id ROWS 20 PRECEDING) AS r, " +
          s"sliding(sum(x), 9) OVER ($keys ORDER BY id) AS s FROM t"
      )
      assertSplit(
        s"SELECT id, lead(x, 3) OVER ($keys ORDER BY id), lag(x) OVER ($keys ORDER BY id) FROM t"
      )
      assertSplit(
        s"SELECT id, max(s) OVER ($keys ORDER BY ts RANGE BETWEEN INTERVAL '24' HOUR PRECEDING " +
          "AND INTERVAL '2' HOUR FOLLOWING) AS r FROM t"
      )
      assertSplit(
        s"SELECT id, rank() OVER ($keys ORDER BY i32), row_number() OVER ($keys ORDER BY i32) FROM t"
      )
      assertSplit(
        s"SELECT id, median(i32) OVER ($keys ORDER BY x DESC RANGE CURRENT ROW) AS r FROM t"
      )
    }
  }

  test("frames that grow include the rows before a chunk") {
    for (keys <- Seq("", "PARTITION BY k")) {
      val functions = Seq(
        "sum(x)",
        "sum(d38)",
        "avg(f)",
        "count(s)",
        "min(ts)",
        "stddev(y)",
        "rank()",
        "count(*)"
      )
      val running = functions.zipWithIndex.map { case (f, i) =>
        s"$f OVER ($keys ORDER BY i32) AS r$i"
      }
      val back = s"sum(x) OVER ($keys ORDER BY i32 RANGE 3 PRECEDING) AS back"
      assert(sameBits(s"SELECT id, ${running.mkString(", ")}, $back FROM t", 1L to 3L) > 1L)
      val ends = Seq("5 PRECEDING", "CURRENT ROW", "9 FOLLOWING").zipWithIndex.map {
        case (end, i) =>
          s"sum(y / 3) OVER ($keys ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND $end) AS r$i"
      }
      assert(sameBits(s"SELECT id, ${ends.mkString(", ")} FROM t", 1L to 3L) > 1L)
    }
  }

  sampledTest("frames that share the state of min and max begin in the middle together") {
    for (keys <- Seq("", "PARTITION BY k")) {
      val frames = Seq("ROWS 2 PRECEDING", "ROWS 9 PRECEDING", "ROWS 30 PRECEDING")
      val extremes = for {
        (frame, i) <- frames.zipWithIndex
        (f, j) <- Seq("min(x)", "max(i32)", "max_by(id, i8)").zipWithIndex
      } yield s"$f OVER ($keys ORDER BY id $frame) AS r${i}_$j"
      val running = s"sum(x) OVER ($keys ORDER BY id) AS running"
      val rank = s"rank() OVER ($keys ORDER BY id) AS rank"
      for (others <- Seq(Nil, Seq(running), Seq(rank)))
        assert(sameBits(s"SELECT id, ${(extremes ++ others).mkString(", ")} FROM t", 1L to 2L) > 1L)
    }
  }

  test("blocks of rows begin at the positions of the unsplit query") {
    for (
      frame <- Seq(
        "ROWS 40 PRECEDING",
        "ROWS BETWEEN 50 PRECEDING AND 3 FOLLOWING",
        "ROWS BETWEEN 60 PRECEDING AND 9 PRECEDING"
      )
    ) {
      val query =
        s"SELECT id, histogram_numeric(x * x / 3, 5) OVER (ORDER BY id $frame) AS r FROM t"
      assert(sameBits(query, 1L to 4L) > 1L)
    }
    val sliding =
      "SELECT id, sliding(histogram_numeric(x * x / 3, 5), 40) OVER (ORDER BY id) AS r FROM t"
    assertSplit(sliding)
  }

  sampledTest("functions that need the rows of a partition in order stay in one task") {
    // There is no information about where to cut.
    assertWhole("SELECT id, sum(x) OVER (PARTITION BY k) AS r FROM t")
    assertWhole("SELECT id, first(x) OVER (ORDER BY id) AS r FROM t")
    assertWhole("SELECT id, max(s) OVER (ORDER BY id) AS r FROM t")
    assertWhole("SELECT id, max(x) OVER (ORDER BY id) AS r FROM t")
    assertWhole("SELECT id, collect_list(x) OVER (ORDER BY id) AS r FROM t")
    for (frame <- Seq("ROWS BETWEEN 1 PRECEDING AND", "ROWS BETWEEN UNBOUNDED PRECEDING AND"))
      for (f <- Seq("last(x)", "max(s)", "max(x)", "median(x)", "count(DISTINCT x)", "mode(x)"))
        assertWhole(s"SELECT id, $f OVER (ORDER BY id $frame UNBOUNDED FOLLOWING) AS r FROM t")
    assertWhole("SELECT id, dense_rank() OVER (ORDER BY i32) AS r FROM t")
    assertWhole(
      "SELECT id, histogram_numeric(x, 5) OVER (ORDER BY i32 RANGE 3 PRECEDING) AS r FROM t"
    )
  }

  test("operators that require contiguous rows of a partition keep the rows together") {
    val moving =
      "SELECT id, k, avg(x) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING) AS r FROM t"
    assertWhole(s"SELECT k, max(r) AS id FROM ($moving) GROUP BY k")
    assertWhole(
      s"SELECT id, sum(r) OVER (PARTITION BY k ORDER BY id DESC ROWS 3 PRECEDING) AS rr FROM ($moving)"
    )
    // Another shuffle is in between.
    assert(sameBits(s"SELECT r, count(*) AS id FROM ($moving) GROUP BY r") > 1L)
    assertSplit(s"SELECT * FROM ($moving) ORDER BY r, id LIMIT 50")
  }

  test("rows are emitted in the order of the unsplit query") {
    val query = "SELECT id, sum(i32) OVER (ORDER BY i32 ROWS 5 PRECEDING) AS r FROM t"
    def rows = spark.sql(query).collect().toSeq
    val unsplit = withConf("spark.muntin.split.enabled" -> "false")(rows)
    // With two chunks, a task of the exchange has several mappers' rows.
    for (isExchanged <- Seq("false", "true"); forced <- Seq("5", "2"))
      withConf(
        "spark.muntin.split.forceChunks" -> forced,
        "spark.muntin.split.forceExchange" -> isExchanged
      )(assert(rows == unsplit))
  }

  test("partitions are split if they are large, and larger than others") {
    val moving = "sum(v) OVER (PARTITION BY k ORDER BY t ROWS 9 PRECEDING) AS r"
    val small = "spark.muntin.split.chunkSize" -> "4k"
    withConf(small, "spark.sql.adaptive.coalescePartitions.enabled" -> "false") {
      val (frame, rows) = run(s"SELECT id, $moving FROM skewed")
      assert(chunks(frame) == 2L)
      val (whole, unsplit) =
        withConf("spark.muntin.split.enabled" -> "false")(run(s"SELECT id, $moving FROM skewed"))
      assert(split(whole) == 0)
      assert(rows == unsplit)
      assert(split(run(s"SELECT id, $moving FROM even")._1) == 0)
      assert(
        chunks(run("SELECT id, sum(v) OVER (ORDER BY t RANGE 9 PRECEDING) FROM even")._1) == 2L
      )
      // A halo of more than a quarter of the rows.
      val wide = run("SELECT id, sum(v) OVER (ORDER BY t ROWS 20000 PRECEDING) AS r FROM even")._1
      assert(split(wide) == 0)
    }
    assert(split(run(s"SELECT id, $moving FROM skewed")._1) == 0)
  }

  test("if the cores have enough work, no partition is split") {
    val moving = "sum(v) OVER (PARTITION BY k ORDER BY t ROWS 9 PRECEDING) AS r"
    withConf(
      "spark.muntin.split.chunkSize" -> "4k",
      "spark.sql.shuffle.partitions" -> "20",
      "spark.sql.adaptive.coalescePartitions.enabled" -> "false"
    ) {
      def chunksOf(keys: Int) =
        chunks(run(s"SELECT id, $moving FROM (SELECT id, id % $keys AS k, t, v FROM even)")._1)
      assert(chunksOf(1) == 2L)
      assert(chunksOf(2) == 0L)
    }
  }

  test("the sample is drawn when the shuffle is written") {
    val query =
      "SELECT id, sum(v) OVER (PARTITION BY k ORDER BY t ROWS 9 PRECEDING) AS r FROM skewed"
    def samples(query: String) = {
      val frame = run(query)._1
      nodes(frame) { case s: ShuffleQueryStageExec => s.shuffle }.flatMap(_.collect {
        case s: MuntinSampleExec => s
      })
    }
    val drawn = samples(query).head
    assert(drawn.columns.map(_.name) == Seq("k", "t"))
    assert(drawn.samples.map(_.count).sorted == Seq(20000L, 20000L, 20000L))
    withConf("spark.sql.codegen.wholeStage" -> "false") {
      assert(samples(query).head.samples.map(_.count).sum == 60000L)
      assertSplit(query)
    }
    withConf("spark.muntin.split.enabled" -> "false")(assert(samples(query) == Nil))
    // No partition could be split.
    assert(samples("SELECT id, sum(v) OVER (PARTITION BY k) FROM skewed") == Nil)
  }

  test("a reused shuffle is split by its sample") {
    def moving(order: String) =
      s"SELECT id, sum(v) OVER (PARTITION BY k ORDER BY t $order ROWS 9 PRECEDING) AS r FROM skewed"
    val query = s"SELECT a.id, a.r, b.r FROM (${moving("ASC")}) a JOIN (${moving("DESC")}) b " +
      "ON a.id = b.id AND a.r <= b.r"
    assert(sameBits(query) > 4L)
    val stages = nodes(run(query)._1) { case s: ShuffleQueryStageExec => s }
    assert(stages.exists(_.plan.isInstanceOf[ReusedExchangeExec]), stages)
  }

  test("chunks of a partition are even for any order of its mappers' rows") {
    withConf("spark.muntin.split.chunkSize" -> "4k") {
      val frame =
        spark.sql("SELECT id, v, sum(v) OVER (ORDER BY id ROWS 9 PRECEDING) AS r FROM even")
      val sizes = frame.queryExecution.toRdd
        .mapPartitions(rows => Iterator(rows.size))
        .collect()
        .toSeq
      assert(sizes.sum == 60000)
      assert(sizes.size == 2)
      assert(sizes.forall(size => size > 27000 && size < 33000), sizes)
    }
  }

  test("without adaptive execution no partition is split") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      assertWhole("SELECT id, sum(x) OVER (ORDER BY id ROWS 9 PRECEDING) AS r FROM t")
    }
  }

  test("a plan without the read of the parts fails") {
    withConf("spark.muntin.split.forceChunks" -> "3") {
      val frame = spark.sql("SELECT id, sum(x) OVER (ORDER BY id ROWS 9 PRECEDING) AS r FROM t")
      frame.collect(): Unit
      val windows = nodes(frame) { case w: MuntinWindowExec if w.isSplit => w }.head
      val without = windows.transform { case r: SplitReadExec => r.child }
      assertFails("MUNTIN_SPLIT_READ_REMOVED", "setting" -> "spark.muntin.split.enabled")(
        without.execute()
      )
    }
  }

  test("EXPLAIN shows it") {
    withConf("spark.muntin.split.forceChunks" -> "3") {
      val frame = spark.sql("SELECT id, sum(x) OVER (ORDER BY id ROWS 9 PRECEDING) AS r FROM t")
      frame.collect(): Unit
      val plan = frame.queryExecution.executedPlan.toString
      assert(plan.contains("MuntinSplitRead 1 of 1 partitions split into 3 chunks"), plan)
      assert(
        plan.linesIterator.exists(l => l.contains("MuntinWindow") && l.endsWith(", split")),
        plan
      )
    }
  }

  test("rows that a retried task might read differently are not split") {
    val dealt = "SELECT id, sum(x) OVER (ORDER BY id ROWS 3 PRECEDING) AS r FROM " +
      "(SELECT /*+ REPARTITION(2) */ id, x FROM (SELECT DISTINCT id, x FROM t))"
    assertSplit(dealt)
    // The order in which a shuffle delivers rows then determines which chunk reads a row.
    withConf("spark.sql.execution.sortBeforeRepartition" -> "false")(assertWhole(dealt))
  }
}

private object SplitSuite {

  /** A random query of frames; most of them can be split. */
  final class SplitQuery(random: Random) {
    private def pick[T](values: T*): T = values(random.nextInt(values.size))

    private def any = pick(RandomQuery.names: _*)
    private def number = pick("i8", "i32", "i64", "d5", "d18", "x", "y", "f")

    private val keys = pick(
      "",
      "",
      "PARTITION BY k",
      "PARTITION BY k % 2",
      "PARTITION BY flag, lc",
      "PARTITION BY x"
    )
    private val direction = pick("", "DESC", "DESC NULLS FIRST", "ASC NULLS LAST")

    private val distance = pick(1, 2, 5, 17)

    private def ends(offset: Int => String): String = {
      val low = random.nextInt(60) - 40
      val high = low + random.nextInt(40)
      def bound(place: Int) =
        if (place / 8 == 0) "CURRENT ROW"
        else if (place < 0) s"${offset(-place / 8)} PRECEDING"
        else s"${offset(place / 8)} FOLLOWING"
      s"BETWEEN ${bound(low)} AND ${bound(high)}"
    }

    private val rows = random.nextBoolean()

    private val (order, frame) =
      if (rows) {
        val by =
          pick("id", any, s"${pick("day", "ts", "i32", "x", "s")} $direction, id", "lc, s, id")
        (by, s"ROWS ${ends(i => s"${i * distance}")}")
      } else {
        val (column, offset) = pick[(String, Int => String)](
          "i32" -> (i => s"$i"),
          "id" -> (i => s"${i * 7}"),
          "x" -> (i => s"${i * 15.5}D"),
          "wild" -> (i => s"${i}D"),
          "f" -> (i => s"${i}.5F"),
          "d5" -> (i => s"${i}.25"),
          "d38" -> (i => s"${i}000000000000.5"),
          "i8" -> (i => s"$i"),
          "day" -> (i => s"INTERVAL '$i' DAY"),
          "day" -> (i => s"INTERVAL '$i' MONTH"),
          "ts" -> (i => s"INTERVAL '$i' HOUR"),
          "ts" -> (i => s"INTERVAL '$i' DAY"),
          "ts" -> (i => s"INTERVAL '$i' MONTH"),
          "ntz" -> (i => s"INTERVAL '${i * 50}' MINUTE"),
          "ym" -> (i => s"INTERVAL '$i' MONTH"),
          "dt" -> (i => s"INTERVAL '$i' HOUR")
        )
        (s"$column $direction", s"RANGE ${ends(offset)}")
      }

    private def framed: String = {
      val function = pick(
        s"sum($number)",
        s"avg($number)",
        "count(*)",
        s"count($any)",
        s"min($any)",
        s"max($any)",
        s"stddev($number)",
        s"corr($number, $number)",
        s"first($any)",
        s"last($any, true)",
        s"nth_value($any, 2)",
        s"collect_list($any)",
        s"count(DISTINCT ${pick(RandomQuery.countable: _*)})",
        s"median(${pick(RandomQuery.ranked: _*)})",
        "mode(i8)",
        s"approx_count_distinct($any)",
        s"max_by($any, id)",
        "listagg(s, '-')",
        "bit_xor(i32)"
      )
      s"$function OVER ($keys ORDER BY $order $frame)"
    }

    private val growing = pick(
      s"sum($number)",
      s"avg($number)",
      "count(*)",
      s"count($any)",
      s"${pick("min", "max")}(${pick("i8", "i32", "i64", "day", "ts", "flag", "d5")})",
      s"var_samp($number)",
      s"corr($number, $number)",
      s"approx_count_distinct($any)",
      s"${pick("bit_and", "bit_or", "bit_xor")}(i32)"
    )

    private def grown: String = {
      val until = if (rows) {
        s"ROWS BETWEEN UNBOUNDED PRECEDING AND ${pick("CURRENT ROW", "3 PRECEDING", "7 FOLLOWING")}"
      } else pick("", frame.replaceFirst("BETWEEN .* AND", "BETWEEN UNBOUNDED PRECEDING AND"))
      s"$growing OVER ($keys ORDER BY $order $until)"
    }

    private def unframed: String = {
      val function = pick(
        "row_number()",
        "rank()",
        s"lag($any, ${random.nextInt(5)})",
        s"lead($any, ${random.nextInt(5)})",
        s"sliding(sum($number), ${1 + random.nextInt(12)})",
        s"sliding(avg($number), ${1 + random.nextInt(12)}, partial => true)"
      )
      s"$function OVER ($keys ORDER BY $order${if (rows) "" else ", id"})"
    }

    private def blocks: String =
      s"histogram_numeric(y / 3, 4) OVER ($keys ORDER BY $order ROWS BETWEEN ${20 + random.nextInt(30)} PRECEDING " +
        s"AND ${random.nextInt(9)} FOLLOWING)"

    val sql: String = {
      val items = Seq.fill(1 + random.nextInt(3)) {
        random.nextInt(10) match {
          case 0 => unframed
          case 1 | 8 | 9 => grown
          case 2 if rows => blocks
          case _ => framed
        }
      }
      val named = items.zipWithIndex.map { case (e, i) => s"$e AS r$i" }
      s"SELECT id, ${named.mkString(",\n  ")}\nFROM ${pick("t", "t", "one")}"
    }
  }
}

package org.apache.spark.sql.muntin

import scala.util.Random

import io.muntin.kernel.CountingMemory
import org.apache.spark.sql.catalyst.expressions.{SpecificInternalRow, UnsafeRow}
import org.apache.spark.sql.muntin.execution.over.OverKernel
import org.apache.spark.sql.muntin.execution.rows.GeneratedCode

/**
 * Windows with a value of all rows of their partition, or of all following rows, in partitions that
 * are split over tasks: the bits of the unsplit query. `testOnly *SplitTotalsSuite -- -z "query
 * 17,"` runs one query.
 */
class SplitTotalsSuite extends SplitSession {
  import SplitTotalsSuite._

  private val queries = Integer.getInteger("muntin.queries", Repeats(30)).intValue
  private val seeds = Repeats.first(30) until Repeats.first(30) + queries

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "drawn", rows = 300, seed = 17)
    // Written by several mappers; `only` is one key.
    val drawn = spark.table("drawn").selectExpr("*", "7 AS only")
    Tables.of(spark, drawn.collect().toSeq, drawn.schema, slices = 3)
      .createOrReplaceTempView("t")
  }

  seeds.foreach { seed =>
    test(s"query $seed, split at random places") {
      val random = new Random(seed.toLong)
      val query = new TotalsQuery(random).sql
      val conf = Seq(
        "spark.sql.session.timeZone" -> (if (random.nextBoolean()) "UTC" else "America/New_York"),
        "spark.muntin.over.forceSpill" -> (seed % 3 == 0).toString,
        "spark.muntin.exchange.enabled" -> (seed % 4 > 0).toString
      )
      withConf(conf: _*) {
        assert(sameBits(query, Seq(seed.toLong, seed + 100L), 3 + random.nextInt(6)) > 1L, query)
      }
    }
  }

  test("many random queries have halos that are too small at first") {
    // Of all queries, because the sample of a day has few.
    assume(Repeats.isLong)
    assert(queriesReadAgain * 5 >= queries)
  }

  sampledTest("ranks that need the number of rows") {
    val functions =
      Seq("ntile(7)", "ntile(1000)", "percent_rank()", "cume_dist()", "rank()", "row_number()")
    for ((keys, order) <- Keys.zip(Seq("i32", "x DESC", "s NULLS LAST", "day, i8", "id")))
      assert(sameBits(select(keys, order, functions.map(_ -> "")), 1L to 3L) > 1L)
    assertSplit("SELECT id, ntile(3) OVER (ORDER BY id) AS r FROM t")
    assertSplit("SELECT id, cume_dist() OVER (ORDER BY flag) AS r FROM t")
  }

  sampledTest("whole partitions include the rows before a chunk and after it") {
    for ((keys, kind) <- Keys.zip(Seq("ROWS", "RANGE", "ROWS", "RANGE", "ROWS"))) {
      val whole = s"$kind BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
      assert(sameBits(select(keys, "i32", Aggregates.map(_ -> whole)), 1L to 3L) > 1L)
    }
  }

  sampledTest("frames that end with the partition include the rows after a chunk") {
    for (keys <- Keys.slice(1, 3); from <- Seq("CURRENT ROW", "5 PRECEDING", "3 FOLLOWING"))
      // Values of `i64` differ by more than the distance between a frame's start and its row.
      for ((kind, order) <- Seq("ROWS" -> "i32, id", "RANGE" -> "i32", "RANGE" -> "i64")) {
        val rest = s"$kind BETWEEN $from AND UNBOUNDED FOLLOWING"
        assert(sameBits(select(keys, order, Aggregates.map(_ -> rest)), 1L to 2L) > 1L)
      }
  }

  sampledTest("together with frames of all other kinds, over the same rows") {
    for (keys <- Keys) {
      val items = Seq(
        "sum(y / 3)" -> "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        "sum(y / 3)" -> "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        "sum(y / 3)" -> "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        "avg(y / 3)" -> "ROWS BETWEEN 9 PRECEDING AND 4 FOLLOWING",
        "min(i32)" -> "ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING",
        "min(i32)" -> "ROWS BETWEEN 8 PRECEDING AND UNBOUNDED FOLLOWING",
        "min(i32)" -> "ROWS BETWEEN 8 PRECEDING AND CURRENT ROW",
        "min(i32)" -> "ROWS BETWEEN 5 PRECEDING AND CURRENT ROW",
        "median(x)" -> "ROWS BETWEEN 8 PRECEDING AND CURRENT ROW",
        "histogram_numeric(y / 3, 4)" -> "ROWS BETWEEN 30 PRECEDING AND 2 FOLLOWING",
        "cume_dist()" -> "",
        "lead(s, 3)" -> "",
        "sliding(sum(y / 3), 6)" -> ""
      )
      val query = select(keys, "day, id", items)
      assert(sameBits(query, 1L to 2L, 5) > 1L)
    }
  }

  test("a kernel that hands over to another kernel releases its memory") {
    val back = "ROWS BETWEEN 40 PRECEDING AND CURRENT ROW"
    val items = Seq("sum(x)", "max(i32)", "approx_count_distinct(s)", "bit_or(i8)", "corr(x, y)")
      .filter(RunningSpark.hasFunctionsOf)
      .flatMap(f => Seq("CURRENT ROW", "UNBOUNDED PRECEDING", "3 PRECEDING").map(f -> _))
      .map { case (f, from) => f -> s"ROWS BETWEEN $from AND UNBOUNDED FOLLOWING" } ++
      Seq("median(x)", "count(DISTINCT s)", "collect_list(i32)", "max(s)").map(_ -> back) ++
      Seq("ntile(3)" -> "", "histogram_numeric(y, 3)" -> back, "min(y)" -> back)
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val node = muntinNodes(spark.sql(select("", "id", items))).head
      val rows = node.child.executeCollect().map(_.asInstanceOf[UnsafeRow].copy())
      val memory = new CountingMemory
      val kernel = new OverKernel(
        node.plan,
        node.orderSpec,
        node.child.output,
        memory,
        onStream = false,
        new GeneratedCode(node.child.output),
        isSplit = true
      )
      kernel.startPartition()
      rows.take(50).foreach(kernel.precede)
      rows.drop(200).foreach(kernel.follow)
      kernel.arriveInside(50L, _ => 0L)
      rows.slice(50, 200).foreach(kernel.arrive)
      val target = new SpecificInternalRow(node.windowExpression.map(_.dataType))
      while (kernel.hasPending && kernel.isReady(ended = true)) kernel.advance(target)
      assert(memory.held > 0L)
      kernel.close()
      assert(memory.held == 0L)
    }
  }

  test("a chunk of many partitions whose first and last partition continue in other chunks") {
    val rest = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    val items = Seq(
      "ntile(2)" -> "",
      "sum(x)" -> rest,
      "max(i32)" -> rest,
      "count(*)" -> "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    )
    for (key <- Seq("id % 20", "id % 60", "i8, flag")) {
      val query = select(s"PARTITION BY $key", "id", items)
      assert(sameBits(query, 1L to 4L, 3) > 1L)
    }
  }
}

private object SplitTotalsSuite {

  /** Functions, each in its frame, over the same rows. */
  private def select(keys: String, order: String, items: Seq[(String, String)]): String = {
    val named = items.zipWithIndex.map { case ((function, frame), i) =>
      s"$function OVER ($keys ORDER BY $order $frame) AS r$i"
    }
    s"SELECT id, ${named.mkString(", ")} FROM t"
  }

  private val Keys =
    Seq("", "PARTITION BY only", "PARTITION BY k", "PARTITION BY flag, k", "PARTITION BY only, x")

  private val Aggregates = Seq(
    "sum(x)",
    "sum(wild)",
    "sum(d38)",
    "avg(f)",
    "count(s)",
    "count(*)",
    "min(ts)",
    "max(i32)",
    "max(flag)",
    "stddev(y)",
    "kurtosis(y)",
    "corr(x, y)",
    "bit_and(i32)",
    "bit_or(i8)",
    "bit_xor(i64)",
    "approx_count_distinct(s)",
    "sum(i32) FILTER (WHERE flag)",
    "partial(avg(y))"
  ).filter(RunningSpark.runsOver)

  /** A random query with at least one window that contains all rows or all following rows. */
  final class TotalsQuery(random: Random) {
    private def pick[T](values: T*): T = values(random.nextInt(values.size))

    private val keys = pick(Keys: _*)
    private val direction = pick("", "DESC", "DESC NULLS FIRST", "ASC NULLS LAST")
    private val rows = random.nextBoolean()

    private val (order, offset) = pick[(String, Int => String)](
      "i32" -> (i => s"$i"),
      "id" -> (i => s"${i * 7}"),
      "x" -> (i => s"${i * 15.5}D"),
      "wild" -> (i => s"${i}D"),
      "f" -> (i => s"$i.5F"),
      "d5" -> (i => s"$i.25"),
      "day" -> (i => s"INTERVAL '$i' MONTH"),
      "ts" -> (i => s"INTERVAL '$i' DAY"),
      "dt" -> (i => s"INTERVAL '$i' HOUR")
    )

    private val by =
      if (rows) s"$order $direction${pick("", ", id", ", s")}" else s"$order $direction"

    private def bound: String = {
      val size = 1 + random.nextInt(6)
      val far = if (rows) s"${size * pick(1, 3, 9)}" else offset(size)
      pick("CURRENT ROW", s"$far PRECEDING", s"$far FOLLOWING")
    }

    private def number = pick("i8", "i32", "i64", "d5", "d18", "d38", "x", "y", "f", "wild", "dt")
    private def moment = pick("i8", "i32", "x", "y", "f")
    private def any = pick(RandomQuery.names: _*)

    private val pairs =
      Seq("corr", "regr_slope").filter(f => RunningSpark.hasFunctionsOf(s"$f(x, y)"))

    private def aggregate: String = pick(
      s"sum($number)",
      s"avg($number)",
      "count(*)",
      s"count($any)",
      s"${pick("min", "max")}(${pick("i8", "i32", "i64", "day", "ts", "flag", "d5", "dt")})",
      s"${pick("var_samp", "skewness")}($moment)",
      s"${pick(pairs: _*)}($moment, $moment)",
      s"${pick("bit_and", "bit_or", "bit_xor")}(${pick("i8", "i32", "i64")})",
      s"approx_count_distinct($any)",
      "completeness(x)"
    )

    private def filter: String = pick("", "", "", " FILTER (WHERE i32 > 0)")

    private val kind = if (rows) "ROWS" else "RANGE"

    private def over(function: String, from: String, until: String): String =
      s"$function$filter OVER ($keys ORDER BY $by $kind BETWEEN $from AND $until)"

    private def total: String = random.nextInt(3) match {
      case 0 =>
        val function =
          pick(s"ntile(${1 + random.nextInt(9)})", "percent_rank()", "cume_dist()")
        s"$function OVER ($keys ORDER BY $by)"
      case 1 => over(aggregate, "UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING")
      case _ => over(aggregate, bound, "UNBOUNDED FOLLOWING")
    }

    private def other: String = pick(
      over(aggregate, "UNBOUNDED PRECEDING", bound),
      over(pick(aggregate, s"median($moment)", s"max(s)"), "CURRENT ROW", "CURRENT ROW"),
      s"lag($any, ${1 + random.nextInt(4)}) OVER ($keys ORDER BY $by)",
      s"rank() OVER ($keys ORDER BY $by)"
    )

    val sql: String = {
      val items = Seq.fill(1 + random.nextInt(2))(total) ++ Seq.fill(random.nextInt(3))(other)
      val named = items.zipWithIndex.map { case (e, i) => s"$e AS r$i" }
      s"SELECT id, ${named.mkString(",\n  ")}\nFROM t"
    }
  }
}

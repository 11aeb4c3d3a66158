package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.muntin.execution.anchored.AnchoredWindowsExec
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec

/**
 * Windows of GROUP BY, window_by and as-of joins, whose keys are split over tasks: the bits of the
 * unsplit query, for any cuts. A failure shows its seed and query; `testOnly *SplitGroupsSuite --
 * -z "validity 17,"` runs only this query.
 */
class SplitGroupsSuite extends SplitSession {
  import SplitGroupsSuite._

  private val queries = Integer.getInteger("muntin.queries", Repeats(24)).intValue
  private val seeds = Repeats.first(24) until Repeats.first(24) + queries

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    create("spans", rows = 300, seed = 11)
    create("sources", rows = 300, seed = 12)
    create("anchors", rows = 200, seed = 13)
    spark
      .range(0, 60000, 1, 3)
      .selectExpr(
        "id",
        "if(id % 10 = 0, id % 400, -1) AS k",
        "id * 7919 % 60000 AS t",
        "id * 7919 % 60000 + id % 50 AS u",
        "id % 7 AS v"
      )
      .createOrReplaceTempView("skewed")
  }

  /**
   * Written by several mappers: one key `g` with most rows, times that are often equal, rows that
   * end at their start or never, and gaps.
   */
  private def create(name: String, rows: Int, seed: Int): Unit = {
    RandomTable.create(spark, "one", rows, seed)
    val one = spark.sql(
      """SELECT *, CASE WHEN pmod(hash(id, 2), 17) = 0 THEN NULL
        |  WHEN a BETWEEN 30 AND 40 THEN 41 ELSE a + pmod(hash(id, 1), 12) END AS b
        |FROM (SELECT *, IF(pmod(hash(id, 4), 6) = 0, k, 9) AS g,
        |  IF(pmod(hash(id, 5), 9) = 0, 500, 0) + pmod(hash(id), 97) AS a FROM one)""".stripMargin
    )
    Tables.of(spark, one.collect().toSeq, one.schema, slices = 3)
      .createOrReplaceTempView(name)
  }

  private val splitQueries = scala.collection.mutable.HashMap.empty[String, Int].withDefaultValue(0)

  for {
    (name, query) <- Seq[(String, Random => String)](
      ("validity", validity),
      ("grid", grid),
      ("window_by", windowBy),
      ("asof", asOf)
    )
    seed <- seeds
  } test(s"$name $seed, split at random places") {
    val random = new Random(seed.toLong)
    val sql = query(random)
    val conf = Seq(
      "spark.sql.ansi.enabled" -> "false",
      "spark.muntin.sort.enabled" -> (seed % 4 > 0).toString,
      "spark.muntin.over.forceSpill" -> (seed % 3 == 0).toString,
      "spark.muntin.exchange.enabled" -> (seed % 5 > 0).toString,
      "spark.sql.session.timeZone" -> (if (random.nextBoolean()) "UTC" else "America/New_York")
    )
    if (withConf(conf: _*)(sameBits(sql, Seq(seed.toLong), 2 + random.nextInt(6))) > 1L)
      splitQueries(name) += 1
  }

  test("most random queries are split") {
    val kinds = Seq("validity", "grid", "window_by", "asof")
    assert(kinds.map(splitQueries).sum * 2 >= queries * kinds.size)
    // Few queries of each kind are in the sample of a day.
    assume(Repeats.isLong)
    for (kind <- kinds) assert(splitQueries(kind) * 2 >= queries, kind)
  }

  sampledTest("validity, with each kind of results, with and without keys") {
    for {
      keys <- Seq("", "g, ")
      more <- Seq("", ", dump_at => 3", ", emit => 'element'", ", drain => false")
    } {
      val found = sameBits(
        s"SELECT ${keys}validity.start, validity.end, sum(x), collect_list(id), first(s), count(DISTINCT i8) " +
          s"FROM spans GROUP BY ${keys}validity(a, b$more)",
        1L to 2L
      )
      assert(found > 1L, s"$keys $more")
    }
  }

  test("rows are emitted in the order of the unsplit query") {
    for (
      query <- Seq(
        "SELECT validity.start, count(*) FROM spans GROUP BY validity(a, b)",
        "SELECT id, n FROM window_by(TABLE(sources), TABLE(SELECT id, a, coalesce(b, 700) AS b FROM anchors), " +
          "'count(*) AS n', 'a', 'a', 'b')"
      )
    ) {
      def rows = spark.sql(query).collect().toSeq
      val unsplit = withConf("spark.muntin.split.enabled" -> "false")(rows)
      withConf("spark.muntin.split.forceChunks" -> "5")(assert(rows == unsplit))
    }
  }

  test("validity merges blocks of rows by their numbers, which a chunk cannot compute") {
    assertWhole(
      "SELECT g, validity.start, histogram_numeric(x * x / 3, 5) FROM spans GROUP BY g, validity(a, b)"
    )
  }

  test("window_by merges the blocks of the unsplit query") {
    for (on <- Seq("null", "'g'")) {
      val found = sameBits(
        "SELECT * FROM window_by(TABLE(sources), TABLE(SELECT id AS aid, g, a AS lo, a + 60 AS hi FROM anchors), " +
          s"'histogram_numeric(x * x / 3, 5) AS h, count(*) AS n', 'a', 'lo', 'hi', $on)",
        1L to 4L
      )
      assert(found > 1L)
    }
  }

  test("the reach of anchors differs by chunk") {
    // In some chunks the first anchor reaches furthest; some chunks have no row of the source.
    val anchors =
      "(SELECT id AS aid, g, a AS lo, a + IF(id % 40 = 0, 300, id % 3) AS hi FROM anchors)"
    for (closed <- Seq("both", "left", "right", "neither")) {
      val query =
        s"SELECT * FROM window_by(TABLE(SELECT * FROM sources), TABLE(SELECT * FROM $anchors), " +
          s"'collect_list(id) AS ids, sum(x) AS total', 'a', 'lo', 'hi', 'g', '$closed')"
      assert(sameBits(query, 1L to 2L) > 1L)
    }
  }

  test("anchors in the order of their promises stay in one task") {
    assertWhole(
      "SELECT * FROM window_by(TABLE(sources), TABLE(SELECT id AS aid, a AS lo, a + 9 AS hi, a - 99 AS o FROM anchors), " +
        "'count(*) AS n', 'a', 'lo', 'hi', obsolete => 'o', order => 'hi')"
    )
  }

  test("equal keys that are not identical stay together: the first key is emitted") {
    assertWhole("SELECT lc, count(*) FROM spans GROUP BY lc, validity(a, b)")
  }

  test("operators that require contiguous rows of a group keep the rows together") {
    val pieces = "SELECT g, count(*) AS n FROM spans GROUP BY g, validity(a, b)"
    assertWhole(s"SELECT g, max(n) FROM ($pieces) GROUP BY g")
    // Another shuffle is in between.
    assertSplit(s"SELECT n, count(*) FROM ($pieces) GROUP BY n")
  }

  test("rows that are rejected are rejected in chunks") {
    for (
      (row, condition, shown) <- Seq(
        ("(7, 3)", "MUNTIN_VALIDITY_ENDS_BEFORE_START", "s = 7, e = 3"),
        ("(NULL, 3)", "MUNTIN_NULL_VALIDITY_START", "s = NULL, e = 3")
      )
    ) {
      val rows = ((0 to 20).map(i => s"($i, ${i + 5})") :+ row).mkString(", ")
      for (forced <- Seq("0", "5"))
        withConf("spark.muntin.split.forceChunks" -> forced) {
          assertFails(condition, "row" -> shown)(
            spark.sql(
              s"SELECT count(*) FROM VALUES $rows AS t(s, e) GROUP BY validity(s, e)"
            ).collect()
          )
        }
    }
  }

  sampledTest("large keys are split, and validity if few rows are valid at one time") {
    val small = Seq(
      "spark.muntin.split.chunkSize" -> "4k",
      "spark.sql.adaptive.coalescePartitions.enabled" -> "false"
    )
    def check(query: String, expected: Long) = {
      val (frame, rows) = run(query)
      assert(chunks(frame) == expected, query)
      val (whole, unsplit) = withConf("spark.muntin.split.enabled" -> "false")(run(query))
      assert(split(whole) == 0)
      assert(rows == unsplit)
    }
    withConf(small: _*) {
      check("SELECT k, validity.start, sum(v) FROM skewed GROUP BY k, validity(t, u)", 2L)
      check("SELECT k, validity.start, sum(v) FROM skewed GROUP BY k, validity(t, u + 30000)", 0L)
      def anchored(hi: String) =
        s"SELECT * FROM window_by(TABLE(skewed), TABLE(SELECT id AS aid, k, t AS lo, $hi AS hi FROM skewed), " +
          "'sum(v) AS s', 't', 'lo', 'hi', 'k')"
      // The rows of both sides.
      check(anchored("u"), 4L)
      check(anchored("u + 30000"), 0L)
    }
    assert(split(run("SELECT count(*) FROM skewed GROUP BY k, validity(t, u)")._1) == 0)
  }

  test("EXPLAIN shows it") {
    withConf("spark.muntin.split.forceChunks" -> "3") {
      def plan(query: String) = {
        val frame = spark.sql(query)
        frame.collect(): Unit
        frame.queryExecution.executedPlan.toString
      }
      val pieces = plan("SELECT count(*) FROM spans GROUP BY validity(a, b)")
      assert(pieces.contains("MuntinSplitRead 1 of 1 partitions split into 3 chunks"), pieces)
      val windows = plan(
        "SELECT * FROM window_by(TABLE(sources), TABLE(SELECT id AS aid, a AS lo, a + 9 AS hi FROM anchors), " +
          "'count(*) AS n', 'a', 'lo', 'hi')"
      )
      assert("MuntinSplitRead".r.findAllIn(windows).size >= 2, windows)
      for ((node, text) <- Seq("MuntinGroupWindows" -> pieces, "MuntinAnchoredWindows" -> windows))
        assert(text.linesIterator.exists(l => l.contains(node) && l.endsWith(", split")), text)
    }
  }

  test("a large key has one row for each of its panes when it is exchanged") {
    for (
      window <- Seq(
        "field_window(t, 6000, 3000)",
        "field_window(t, 600, 600, every => 200)",
        "ticks(timestamp_seconds(t), 'hourly')"
      )
    ) {
      val frame = spark.sql(
        s"SELECT k, sum(v), avg(v), min(v), max(v), stddev(v), count(*) FROM skewed GROUP BY k, $window"
      )
      frame.collect(): Unit
      val partials = nodes(frame) { case p: PanePartialsExec => p.metrics("numOutputRows").value }
      val written = nodes(frame) { case s: ShuffleExchangeLike =>
        s.metrics("shuffleRecordsWritten").value
      }
      // The giant key has 54,000 rows, in at most 300 panes of each of three tasks; the other keys
      // have 6,000 in total.
      assert(partials.sum < 7000L, window)
      assert(written.forall(_ < 7000L), window)
    }
  }

  sampledTest("windows on a grid, with each kind of results, with and without keys") {
    for {
      keys <- Seq("", "g, ")
      window <- Seq(
        "field_window(a, 30, 30)",
        "field_window(a, 30, 10, 3)",
        "field_window(a, 30, 7, open => 'all')",
        "field_window(a, 9, 9, every => 2)",
        "field_window(a, 12, 4, drain => false)",
        "ticks(p, 'hourly')",
        "ticks(p, 'hourly', span => 3, drain => false)",
        "ticks(p, 'daily', timezone => 'America/New_York')"
      )
    } {
      val named = window.takeWhile(_ != '(')
      val found = sameBits(
        s"SELECT $keys$named, median(x), collect_list(id), first(s), count(DISTINCT i8) FROM " +
          s"(SELECT *, timestamp_seconds(a * 600) AS p FROM spans) GROUP BY $keys$window",
        1L to 2L
      )
      assert(found > 1L, s"$keys $window")
    }
  }

  test("windows with unknown starts or ends stay in one task") {
    for (
      window <- Seq(
        "field_window(a, 30)",
        "field_window(a)",
        "field_window(CAST(a AS DOUBLE), 30, 10)",
        "field_window(CAST(a AS DECIMAL(9, 1)), 30, 10)",
        "field_window(a, 30, 10, every => 3)",
        "ticks(ts, 'daily', span => NULL)"
      )
    ) assertWhole(
      s"SELECT g, median(x), ${window.takeWhile(_ != '(')} FROM spans WHERE ts IS NOT NULL GROUP BY g, $window"
    )
  }

  test("blocks of rows are merged if they begin with windows") {
    def merged(window: String) =
      s"SELECT g, histogram_numeric(x * x / 3, 4), field_window FROM spans GROUP BY g, field_window($window)"
    assert(sameBits(merged("a, 60, 60"), 1L to 4L) > 1L)
    assertWhole(merged("a, 60, 30"))
  }

  test("without adaptive execution no key is split") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      assertWhole("SELECT count(*) FROM spans GROUP BY validity(a, b)")
    }
  }

  test("the operators are there") {
    val frames = Seq(
      spark.sql("SELECT count(*) FROM spans GROUP BY validity(a, b)"),
      spark.sql(
        "SELECT * FROM window_by(TABLE(sources), TABLE(SELECT id AS aid, a AS lo, a + 9 AS hi FROM anchors), " +
          "'count(*) AS n', 'a', 'lo', 'hi')"
      )
    )
    assert(nodes(frames(0)) { case w: GroupWindowsExec => w }.size == 1)
    assert(nodes(frames(1)) { case w: AnchoredWindowsExec => w }.size == 1)
  }
}

private object SplitGroupsSuite {
  private def pick[T](random: Random)(values: T*): T = values(random.nextInt(values.size))

  // Functions of every family.
  private val aggregates: Seq[Random => String] = {
    def any(random: Random) = pick(random)(RandomQuery.names: _*)
    def number(random: Random) =
      pick(random)("i8", "i32", "i64", "d5", "d18", "d38", "x", "y", "f", "wild")
    Seq(
      r => s"sum(${number(r)})",
      r => s"avg(${number(r)})",
      _ => "sum(x / 3 + y * 1e9)",
      _ => "count(*)",
      r => s"count(${any(r)})",
      _ => "stddev(y)",
      _ => "corr(y, i32)",
      _ => "kurtosis(y)",
      r => s"${pick(r)("min", "max")}(${pick(r)("i32", "s", "lc", "d38", "x", "ts", "wild")})",
      _ => "max_by(id, i8)",
      r => s"${pick(r)("first", "last")}(${any(r)}${pick(r)("", ", true")})",
      _ => "nth(id, 2)",
      r => s"collect_list(${any(r)})",
      r => s"collect_set(${pick(r)(RandomQuery.countable: _*)})",
      r => s"count(DISTINCT ${pick(r)(RandomQuery.countable: _*)})",
      _ => "sum(DISTINCT i32)",
      r => s"median(${pick(r)(RandomQuery.ranked: _*)})",
      _ => "percentile(y, array(0.1, 0.9))",
      _ => "mode(i8)",
      _ => "approx_count_distinct(s)",
      _ => "bit_xor(i32)",
      _ => "listagg(s, '-')",
      _ => "sum(y) FILTER (WHERE flag)"
    )
  }

  private def chosen(random: Random): String =
    Seq.fill(2 + random.nextInt(4))(pick(random)(aggregates: _*)(random)).distinct.zipWithIndex
      .map { case (f, i) => s"$f AS r$i" }
      .mkString(", ")

  /** A column of times, and the times of `a` and `b` in the same type. */
  private def time(random: Random): String => String = pick[String => String](random)(
    t => t,
    t => t,
    t => s"CAST($t AS DOUBLE) / 8 - 3",
    t => s"CAST($t - 40 AS DECIMAL(10, 2))",
    t => s"CAST($t - 40 AS DECIMAL(38, 10)) * 1000000000000",
    t => s"date_add(DATE'2024-01-01', $t)",
    t => s"timestamp_seconds($t * 1800L)",
    t => s"lpad(CAST($t AS STRING), 3, '0')"
  )

  def validity(random: Random): String = {
    val keys = pick(random)("", "", "g, ", "g, ", "g, flag, ", "lc, ", "k % 2, ")
    val of = time(random)
    val more = pick(random)(
      "",
      "",
      "",
      ", drain => false",
      ", dump_at => 2",
      ", dump_at => 5, drain => false",
      ", emit => 'element'"
    )
    s"SELECT ${keys}validity, ${chosen(random)}\nFROM (SELECT *, ${of("a")} AS p, ${of("b")} AS q FROM spans)\n" +
      s"GROUP BY ${keys}validity(p, q$more)"
  }

  /** Windows at places that are known beforehand, of functions that are not aggregated by pane. */
  def grid(random: Random): String = {
    val keys = pick(random)("", "", "g, ", "g, ", "g, flag, ", "lc, ", "k % 2, ")
    val (time, window) = if (random.nextBoolean()) {
      val (time, unit) = pick(random)(
        "a" -> "",
        "a" -> "",
        "CAST(a - 300 AS SMALLINT)" -> "",
        "a * 1000000007L" -> " * 1000000007L",
        "date_add(DATE'2024-01-01', a)" -> "",
        "timestamp_seconds(a * 60L)" -> " * 60",
        "CAST(timestamp_seconds(a * 60L) AS TIMESTAMP_NTZ)" -> " * 60"
      )
      val advance = 1 + random.nextInt(20)
      val size = if (random.nextBoolean()) advance else advance + random.nextInt(40)
      val more = pick(random)("", "", ", open => 'all'", ", drain => false") +
        (if (size == advance && size > 3) pick(random)("", s", every => 3$unit") else "")
      (time, s"field_window(p, $size$unit, $advance$unit, ${random.nextInt(9)}$unit$more)")
    } else if (random.nextInt(3) == 0) {
      val hours = 1 + random.nextInt(30)
      val window = pick(random)(
        s"hop(p, '$hours minutes', '${hours + random.nextInt(50)} minutes')",
        "tumble(p, '1 day', '7 hours')",
        "hop(p, '1 day', '3 days')",
        "tumble(p, '1 month')"
      )
      ("timestamp_seconds(1709000000 + a * 20000L)", window)
    } else {
      val time = pick(random)(
        "timestamp_seconds(a * 700L)",
        "timestamp_seconds(1710000000 + a * 3600L)",
        "CAST(timestamp_seconds(a * 700L) AS TIMESTAMP_NTZ)"
      )
      val schedule = pick(random)("hourly", "daily", "*/20 * * * *", "30 5 * * 1,3")
      val more =
        pick(random)("", "", ", span => 2", ", span => 5", ", drain => false", ", closed => 'left'")
      (time, s"ticks(p, '$schedule'$more)")
    }
    s"SELECT $keys${window.takeWhile(_ != '(')}, median(x) AS m, ${chosen(random)}\n" +
      s"FROM (SELECT *, $time AS p FROM spans)\nGROUP BY $keys$window"
  }

  def asOf(random: Random): String = {
    val join = pick(random)("LEFT", "LEFT", "INNER", "LEFT SEMI", "LEFT ANTI")
    val ofRight = if (join.startsWith("LEFT ")) "" else ", r.id, r.a, r.s, r.x"
    val key =
      pick(random)(
        "true",
        "l.g = r.g",
        "l.g = r.g AND l.flag = r.flag",
        "coalesce(l.k, 1) = r.k",
        "l.k <=> r.k",
        "l.g = r.g AND l.flag <=> r.flag"
      )
    val times = pick(random)("l.a, r.a", "l.a, r.a", "l.a + 0.5, r.a", "l.ts, r.ts")
    val within =
      if (times.contains("ts")) pick(random)("", ", tolerance => '3 hours'")
      else pick(random)("", "", ", tolerance => 0", ", tolerance => 4", ", tolerance => 60")
    val direction = pick(random)("backward", "forward", "nearest")
    s"SELECT l.id, l.a$ofRight FROM anchors l $join JOIN sources r ON $key AND " +
      s"asof($times, '$direction'$within, strict => ${random.nextBoolean()})"
  }

  def windowBy(random: Random): String = {
    val on = pick(random)("null", "null", "'g'", "'g'", "'g, flag'", "'lc'", "'s, g'")
    val of = time(random)
    val width = pick(random)("0", "3", "id % 20", "if(id % 25 = 0, 90, 2)")
    val closed = pick(random)("both", "left", "right", "neither")
    // Some windows have no rows, and some are equal.
    val anchors =
      s"SELECT id AS aid, g, flag, lc, s, ${of("a")} AS lo, ${of(s"(a + $width)")} AS hi FROM anchors"
    s"SELECT * FROM window_by(TABLE(SELECT *, ${of("a")} AS t FROM sources), TABLE($anchors), " +
      s"\"${chosen(random)}\", 't', 'lo', 'hi', $on, '$closed')"
  }
}

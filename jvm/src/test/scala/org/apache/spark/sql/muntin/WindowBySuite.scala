package org.apache.spark.sql.muntin

import java.time.{Duration, Instant}

import scala.util.Random

import io.muntin.functions
import io.muntin.functions.windowBy
import org.apache.spark.sql.{AnalysisException, DataFrame, Encoder, Encoders, Row}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.execution.anchored.{AnchoredWindowsExec, CheckedAnchorsExec}

/** window_by: against stock Spark's range join, Psi's examples, and rejected calls. */
class WindowBySuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("merged", udaf(WindowBySuite.Total)): Unit
    RandomTable.create(spark, "t", rows = 300, seed = 11)
    RandomTable.create(spark, "a", rows = 150, seed = 12)
    Seq(
      "source AS SELECT * FROM VALUES (1, 'a', 5), (2, 'a', 2), (4, 'b', 13), (4, 'a', 1), (9, 'a', 4) " +
        "AS source(t, k, x)",
      "anchors AS SELECT * FROM VALUES ('p', 1, 4, 'a'), ('q', 2, 3, 'a'), ('r', 4, 4, 'b'), " +
        "('s', 5, 8, 'a'), ('u', 1, 9, 'c'), ('v', 1, 9, null) AS anchors(name, lo, hi, k)"
    ).foreach(view => spark.sql(s"CREATE TEMP VIEW $view"))
  }

  private def plan(frame: DataFrame): Seq[AnchoredWindowsExec] =
    nodes(frame.asInstanceOf[classic.DataFrame]) { case w: AnchoredWindowsExec => w }

  private def rows(frame: DataFrame): Seq[Row] = {
    assert(plan(frame).size === 1)
    frame.collect().toSeq.sortBy(_.toString)
  }

  private def rows(query: String): Seq[Row] = rows(spark.sql(query))

  // Aggregates of every family; those that depend on the order of rows have an order, or are
  // sorted.
  private val aggregates = Seq(
    "count(*)",
    "count(x)",
    "count(i32, x)",
    "sum(i64)",
    "sum(x)",
    "avg(d18)",
    "sum(d38)",
    "avg(i32)",
    "stddev_samp(y)",
    "corr(x, y)",
    "skewness(i32)",
    "min(s)",
    "max(wild) + 0.0",
    "max(arr)",
    "max_by(s, id)",
    "min_by(st, id)",
    "bool_and(flag)",
    "bit_xor(i32)",
    "bit_and(i16)",
    "bit_or(i64)",
    "count(DISTINCT i8)",
    "count(DISTINCT i8, s)",
    "sum(DISTINCT i32)",
    "array_sort(collect_list(s))",
    "array_sort(collect_set(i8))",
    "median(x)",
    "percentile(i32, 0.3)",
    "percentile_approx(i32, 0.5)",
    "mode(s, true)",
    "approx_count_distinct(id)",
    "sum(x) FILTER (WHERE i32 > 0)",
    "count(DISTINCT s) FILTER (WHERE flag)",
    "kurtosis(y) + count(*)",
    "some(flag)",
    "hex(count_min_sketch(i8, 0.5d, 0.5d, 1))",
    "merged(i32)"
  )

  private val times = Seq(
    "i8",
    "i32",
    "i64",
    "d5",
    "d38",
    "f",
    "x",
    "wild",
    "s",
    "lc",
    "bin",
    "day",
    "ts",
    "ntz",
    "dt",
    "ym"
  )

  private val keys = Seq(
    Nil,
    Nil,
    Seq("k"),
    Seq("k"),
    Seq("lc"),
    Seq("wild"),
    Seq("wildf", "flag"),
    Seq("s", "k"),
    Seq("arr")
  )

  private val sides = Map(
    "both" -> ((">=", "<=")),
    "left" -> ((">=", "<")),
    "right" -> ((">", "<=")),
    "neither" -> ((">", "<"))
  )

  for (seed <- Repeats.seeds(24)) sampledTest(s"equals stock Spark's join: $seed", most = 2) {
    val random = new Random(seed)
    def pick[A](values: Seq[A]): A = values(random.nextInt(values.size))
    val time = times(seed % times.size)
    val (on, closed) = (pick(keys), pick(sides.keys.toSeq.sorted))
    val (above, below) = sides(closed)
    val chosen = random.shuffle(aggregates).take(9)
    val source = pick(Seq("t", "t", "t", "(SELECT * FROM t WHERE false)"))
    createWindows(
      time,
      pick(Seq("b.id = (a.id * 7 + 3) % 150", "b.id = a.id", "b.id = a.id DIV 2"))
    )
    val equal = on.map(c => s"AND w_$c = $c").mkString(" ")
    val listed = chosen.zipWithIndex.map { case (a, i) => s"$a AS r$i" }.mkString(", ")
    // The anchor is not a row of the source.
    val stock =
      s"SELECT aid, ${listed.replace("count(*)", "count(id)")} FROM windows LEFT JOIN $source t " +
        s"ON $time $above lo AND $time $below hi $equal GROUP BY aid"
    val paired = if (on.isEmpty) "null" else on.map(c => s"$c = w_$c").mkString("'", ", ", "'")
    val ours = s"SELECT aid, ${chosen.indices.map(i => s"r$i").mkString(", ")} FROM window_by(" +
      s"TABLE(SELECT * FROM $source), TABLE(windows), \"$listed\", '$time', 'lo', 'hi', $paired, '$closed')"
    withConf(
      "spark.sql.adaptive.enabled" -> random.nextBoolean().toString,
      "spark.sql.shuffle.partitions" -> (1 + random.nextInt(3)).toString,
      "spark.muntin.over.forceSpill" -> (seed % 3 == 0).toString
    ) {
      val (expected, made) = (spark.sql(stock), spark.sql(ours))
      assert(plan(made).size === 1)
      val rounded = Outcome.roundedColumns(expected.queryExecution.analyzed)
      val outcomes = Seq(expected, made).map { frame =>
        Outcome.Rows(frame.schema, frame.collect().toSeq, rounded)
      }
      Outcome.difference(outcomes.head, outcomes.last).foreach(d => fail(s"$d\n$stock\n$ours"))
      assert(outcomes.last.rows.size === spark.table("windows").count())
    }
  }

  sampledTest("nested windows, deeper than the number of chains") {
    spark.sql(
      "SELECT *, row_number() OVER (ORDER BY id) AS t FROM t"
    ).createOrReplaceTempView("numbered")
    spark.sql(
      "SELECT id AS aid, id AS lo, IF(id % 3 = 0, 302 - id, id + id * id % 17) AS hi FROM range(140)"
    )
      .createOrReplaceTempView("deep")
    for ((some, i) <- aggregates.grouped(12).zipWithIndex) withConf(
      "spark.muntin.over.forceSpill" -> (i % 2 == 0).toString
    ) {
      val listed = some.zipWithIndex.map { case (a, i) => s"$a AS r$i" }.mkString(", ")
      val expected =
        spark.sql(s"SELECT aid, ${listed.replace("count(*)", "count(id)")} FROM deep LEFT JOIN " +
          "numbered ON t BETWEEN lo AND hi GROUP BY aid")
      val made =
        spark.sql(s"SELECT aid, ${some.indices.map(i => s"r$i").mkString(", ")} FROM window_by(" +
          s"TABLE(numbered), TABLE(deep), \"$listed\", 't', 'lo', 'hi')")
      val rounded = Outcome.roundedColumns(expected.queryExecution.analyzed)
      val outcomes = Seq(expected, made).map { frame =>
        Outcome.Rows(frame.schema, frame.collect().toSeq, rounded)
      }
      Outcome.difference(outcomes.head, outcomes.last).foreach(d => fail(s"$d\n$some"))
    }
  }

  /** Anchors that are nested, or are equal, or contain one instant. */
  private def createWindows(time: String, partner: String): Unit = {
    val finite =
      if (!Set("f", "x", "wild")(time)) ""
      else s"AND greatest(a.$time, b.$time) < double('infinity') " +
        s"AND greatest(a.$time, b.$time) > -double('infinity')"
    val keys = Seq("k", "lc", "wild", "wildf", "flag", "s", "arr").map(c => s"a.$c AS w_$c")
    spark.sql(
      s"SELECT a.id AS aid, ${keys.mkString(", ")}, least(a.$time, b.$time) AS lo, " +
        s"greatest(a.$time, b.$time) AS hi FROM a JOIN a b ON $partner " +
        s"WHERE a.$time IS NOT NULL AND b.$time IS NOT NULL $finite"
    ).createOrReplaceTempView("windows")
  }

  test("aggregates that depend on the order of rows use the order of times") {
    spark.sql(
      "SELECT id, CAST(id * 37 % 1000 AS INT) AS t, id % 5 AS k, id * id % 91 AS x FROM range(1000)"
    )
      .createOrReplaceTempView("timed")
    spark.sql("SELECT id AS aid, id % 6 AS w, CAST(id * 13 % 900 AS INT) AS lo, " +
      "CAST(id * 13 % 900 + id * id % 211 AS INT) AS hi FROM range(200)").createOrReplaceTempView(
      "spans"
    )
    val ours = rows(
      "SELECT aid, l, f, la, n, d, s FROM window_by(TABLE(timed), TABLE(spans), " +
        "'collect_list(x) AS l, first(x) AS f, last(x) AS la, nth(x, 3) AS n, collect_set(x % 7) AS d, " +
        "listagg(string(x), \"-\") AS s', 't', 'lo', 'hi', 'k = w')"
    )
    val expected = spark.sql(
      "SELECT aid, transform(array_sort(collect_list(struct(t, x)) FILTER (WHERE t IS NOT NULL)), v -> v.x) FROM spans " +
        "LEFT JOIN timed ON t BETWEEN lo AND hi AND k = w GROUP BY aid"
    ).collect().toSeq.map { r =>
      val list = r.getSeq[Long](1)
      def or[A](value: => A): Any = if (list.isEmpty) null else value
      Row(
        r.get(0),
        list,
        or(list.head),
        or(list.last),
        if (list.size < 3) null else list(2),
        list.map(_ % 7).distinct,
        or(list.mkString("-"))
      )
    }.sortBy(_.toString)
    assert(ours === expected)
    assert(ours.count(_.getSeq[Long](1).isEmpty) > 20)
  }

  private val query =
    "SELECT * FROM window_by(TABLE(source), TABLE(anchors), aggregates => 'count(*) AS n, sum(x) AS total', " +
      "time => 't', start => 'lo', end => 'hi', on => 'k')"

  private val table = Seq(
    Row("p", 1, 4, "a", 3L, 8L),
    Row("q", 2, 3, "a", 1L, 2L),
    Row("r", 4, 4, "b", 1L, 13L),
    Row("s", 5, 8, "a", 0L, null),
    Row("u", 1, 9, "c", 0L, null),
    Row("v", 1, 9, null, 0L, null)
  ).sortBy(_.toString)

  test("the result has all anchors with all their columns") {
    assert(spark.sql(query).columns.toSeq === Seq("name", "lo", "hi", "k", "n", "total"))
    assert(rows(query) === table)
    assert(rows(query.replace("on => 'k'", "on => 'source.k = anchors.k'")) === table)
    val scala = windowBy(
      spark.table("source"),
      spark.table("anchors"),
      col("t"),
      col("lo"),
      col("hi"),
      Seq("k")
    )
      .agg(count("*").as("n"), sum("x").as("total"))
    assert(rows(scala) === table)
    assert(scala.columns.toSeq === Seq("name", "lo", "hi", "k", "n", "total"))
  }

  test("no keys, keys of two names, equal anchors, no anchors, no rows") {
    val (source, anchors) = (spark.table("source"), spark.table("anchors"))
    def by(source: DataFrame, anchors: DataFrame) =
      windowBy(source, anchors, col("t"), col("lo"), col("hi"))
    val n = count("*").as("n")
    val counts = Seq("p" -> 4L, "q" -> 1L, "r" -> 2L, "s" -> 0L, "u" -> 5L, "v" -> 5L)
    def counted(frame: DataFrame) =
      rows(frame.select("name", "n")).map(r => r.getString(0) -> r.getLong(1))
    assert(counted(by(source, anchors).agg(n)) === counts)
    val byK = by(source, anchors.withColumnRenamed("k", "key")).on(col("k"), col("key")).agg(n)
    assert(counted(byK) === Seq("p" -> 3L, "q" -> 1L, "r" -> 1L, "s" -> 0L, "u" -> 0L, "v" -> 0L))
    assert(counted(by(source, anchors.union(anchors)).agg(n)) === counts.flatMap(c => Seq(c, c)))
    assert(counted(by(source.limit(0), anchors).agg(n)) === counts.map(_._1 -> 0L))
    assert(counted(by(source.where("false"), anchors).agg(n)) === counts.map(_._1 -> 0L))
    assert(by(source, anchors.limit(0)).agg(n).collect().isEmpty)
    assert(by(source, anchors.where("false")).agg(n).collect().isEmpty)
    val none = windowBy(source, anchors, col("t"), col("lo"), col("hi"), Seq("k")).agg(n)
    assert(none.where("name = 'unknown'").collect().isEmpty)
  }

  test("the times may be expressions, and of types that agree") {
    val source = spark.table("source")
    val around = windowBy(
      source,
      source,
      col("t") * 2,
      (col("t") - 1) * 2,
      col("t").cast("decimal(20,3)") * 2 + lit(1.5),
      Seq("k")
    ).agg(sum("x").as("total"))
    assert(rows(around.select("t", "k", "total")) ===
      Seq(Row(1, "a", 5L), Row(2, "a", 7L), Row(4, "a", 1L), Row(4, "b", 13L), Row(9, "a", 4L)))
    assert(rows(
      "SELECT d, n FROM window_by(TABLE(SELECT DATE'2026-01-01' + INT(id) AS t FROM range(9)), " +
        "TABLE(SELECT DATE'2026-01-04' AS d), 'count(*) n', 't', 'd - INTERVAL 36 HOURS', " +
        "'timestamp(d + 2)', closed => 'right')"
    ).map(_.get(1)) === Seq(4L))
  }

  test("a table with itself; the result with itself") {
    val source = spark.table("source")
    val last = windowBy(source, source, col("t"), col("t") - 2, col("t"), Seq("k"), closed = "left")
      .agg(max("x").as("most"))
    assert(rows(last) === Seq(
      Row(1, "a", 5, null),
      Row(2, "a", 2, 5),
      Row(4, "a", 1, 2),
      Row(4, "b", 13, null),
      Row(9, "a", 4, null)
    ))
    assert(last.as("one").join(
      last.as("other"),
      expr("one.t = other.t AND one.k = other.k")
    ).count() === 5)
    assert(last.union(last).count() === 10)
    val twice = windowBy(last, last, col("t"), col("t"), col("t") + 10).agg(count("most").as("n"))
    assert(twice.select("t", "n").collect().toSeq.sortBy(_.toString) ===
      Seq(Row(1, 2L), Row(2, 2L), Row(4, 1L), Row(4, 1L), Row(9, 0L)))
  }

  test("in a view, a subquery, a CTE, under another aggregate; with ORDER BY") {
    spark.sql(s"CREATE OR REPLACE TEMP VIEW viewed AS $query")
    assert(spark.table("viewed").collect().toSeq.sortBy(_.toString) === table)
    assert(rows(s"WITH w AS ($query) SELECT sum(n) FROM w WHERE total > 1") === Seq(Row(5L)))
    assert(spark.sql(s"SELECT w.name FROM ($query) w ORDER BY total DESC NULLS LAST, name")
      .collect().map(_.getString(0)).toSeq === Seq("r", "p", "q", "s", "u", "v"))
    assert(rows(
      "WITH s AS (SELECT t, x FROM source WHERE x > 2), a AS (SELECT lo, hi FROM anchors WHERE name = 'p') " +
        "SELECT w.n FROM window_by(TABLE(s), TABLE(a), 'count(*) n', 't', 'lo', 'hi') AS w"
    ) === Seq(Row(2L)))
  }

  test(
    "unused columns are removed, filters on anchors are pushed below, also past other nodes"
  ) {
    val path = java.nio.file.Files.createTempDirectory("window_by").toString
    spark.sql(
      "SELECT *, 'x' AS unread FROM source"
    ).write.mode("overwrite").parquet(s"$path/source")
    spark.sql(
      "SELECT *, 'x' AS unread FROM anchors"
    ).write.mode("overwrite").parquet(s"$path/anchors")
    val frame = windowBy(
      spark.read.parquet(s"$path/source"),
      spark.read.parquet(s"$path/anchors"),
      col("t"),
      col("lo"),
      col("hi"),
      Seq("k")
    ).agg(sum("x").as("total"), max("unread").as("other"))
      .where("name = 'p' AND total > 1").select("name", "total")
    assert(rows(frame) === Seq(Row("p", 8L)))
    val scans = nodes(frame.asInstanceOf[classic.DataFrame]) { case s: FileSourceScanExec => s }
    val read = scans.map(_.requiredSchema.fieldNames.toSet).toSet
    assert(read === Set(Set("t", "k", "x"), Set("name", "lo", "hi", "k")))
    assert(scans.exists(_.dataFilters.exists(_.sql.contains("'p'"))))
    assert(
      scans.exists(s =>
        s.dataFilters.exists(_.sql.contains("`t` IS NOT NULL")) ||
          s.dataFilters.exists(_.sql.contains("(t IS NOT NULL)"))
      ),
      scans.map(_.dataFilters)
    )
    assert(plan(frame).head.functions.size === 1)
  }

  test("one shuffle of each table, and EXPLAIN") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val made = spark.sql(query)
      assert(nodes(made) { case s: ShuffleExchangeLike => s }.size === 2)
      // Spark computes equal windows once.
      assert(made.queryExecution.sparkPlan.sameResult(spark.sql(query).queryExecution.sparkPlan))
      val simple = spark.sql(s"EXPLAIN $query").head().getString(0)
      assert(simple.contains("MuntinAnchoredWindows [k") && simple.contains("in [lo"), simple)
      val formatted = spark.sql(s"EXPLAIN FORMATTED $query").head().getString(0)
      assert(formatted.contains("exact sum"), formatted)
    }
  }

  test("Psi's clock of half a second: all rows within half a second of each tick") {
    def at(millis: Long) = Instant.ofEpochMilli(1000000L + millis)
    val messages = Seq(0, 100, 500, 550, 1000, 1900, 2000, 3600)
    val source = spark.createDataFrame(messages.map(m => (at(m.toLong), m))).toDF("t", "m")
    val ticks = functions.clock(spark, at(0), at(3000), Duration.ofMillis(500))
    val half = expr("INTERVAL '0.5' SECOND")
    val windows = windowBy(
      source,
      ticks,
      col("t"),
      col("at") - half,
      col("at") + half,
      obsolete = col("at") - half
    )
      .agg(collect_list("m").as("m"))
    assert(windows.orderBy("at").collect().toSeq.map(r =>
      r.getTimestamp(0).toInstant -> r.getSeq[Int](1)
    ) === Seq(
      at(0) -> Seq(0, 100, 500),
      at(500) -> Seq(0, 100, 500, 550, 1000),
      at(1000) -> Seq(500, 550, 1000),
      at(1500) -> Seq(1000, 1900, 2000),
      at(2000) -> Seq(1900, 2000),
      at(2500) -> Seq(2000),
      at(3000) -> Nil
    ))
  }

  private def obsolete(anchors: String, more: String = ", order => 'hi'") =
    s"SELECT lo, hi, l FROM window_by(TABLE(source), TABLE(SELECT * FROM VALUES $anchors AS a(lo, hi, gone, who)), " +
      s"'array_sort(collect_list(x)) AS l', 't', 'lo', 'hi', obsolete => 'gone'$more)"

  test("Psi's dynamic windows, with obsolete times") {
    val frame = spark.sql(
      obsolete("(1, 2, 1, 'a'), (1, 4, 2, 'b'), (2, 4, 4, 'c'), (4, 9, null, 'd'), (4, 30, 4, 'e')")
    )
    assert(nodes(frame) { case c: CheckedAnchorsExec => c }.size === 1)
    // A row at the obsolete time is kept.
    assert(frame.collect().toSeq.sortBy(_.toString) === Seq(
      Row(1, 2, Seq(2, 5)),
      Row(1, 4, Seq(1, 2, 5, 13)),
      Row(2, 4, Seq(1, 2, 13)),
      Row(4, 30, Seq(1, 4, 13)),
      Row(4, 9, Seq(1, 4, 13))
    ))
  }

  private def refused(query: => DataFrame, parts: String*): Unit = {
    val all = messages(intercept[Exception](query.collect()))
    parts.foreach(part => assert(all.contains(part), all))
  }

  test("anchors that break an obsolete time are errors that show both") {
    def broken(anchors: String, more: String = ", order => 'hi'")(
        condition: String,
        row: String,
        earlier: String
    ): Unit = assertFails(condition, "obsolete" -> "gone", "row" -> row, "earlier" -> earlier) {
      spark.sql(obsolete(anchors, more)).collect()
    }
    val startsBefore = "MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE"
    broken("(1, 3, 3, 'early'), (2, 5, 3, 'late')")(
      startsBefore,
      "lo = 2, hi = 5, gone = 3",
      "lo = 1, hi = 3, gone = 3"
    )
    broken("(1, 3, 3, 'early'), (4, 5, 2, 'late')")(
      "MUNTIN_OBSOLETE_DECREASES",
      "lo = 4, hi = 5, gone = 2",
      "lo = 1, hi = 3, gone = 3"
    )
    // In the order of the query: the anchor that starts first may end last.
    val nested = "(1, 9, 1, 'long'), (3, 4, 3, 'short')"
    Seq(", order => 'hi'" -> ("", ""), ", order => '-lo'" -> (", order = -1", ", order = -3"))
      .foreach { case (order, (ofLater, ofEarlier)) =>
        broken(nested, order)(
          startsBefore,
          s"lo = 1, hi = 9, gone = 1$ofLater",
          s"lo = 3, hi = 4, gone = 3$ofEarlier"
        )
      }
    assert(spark.sql(obsolete(nested, ", order => 'lo'")).count() === 2L)
    assert(spark.sql(obsolete(nested, ", order => 'who'")).count() === 2L)
    // Without an order, Muntin does not check.
    val unchecked = spark.sql(obsolete(nested, ""))
    assert(nodes(unchecked) { case c: CheckedAnchorsExec => c }.isEmpty)
    assert(unchecked.count() === 2L)
    // Each key has its own anchors.
    val keyed =
      "SELECT n FROM window_by(TABLE(source), TABLE(SELECT * FROM VALUES (1, 3, 3, 'a'), (1, 5, 1, 'b') " +
        "AS a(lo, hi, gone, k)), 'count(*) AS n', 't', 'lo', 'hi', 'k', obsolete => 'gone', order => 'hi')"
    assert(rows(keyed) === Seq(Row(1L), Row(2L)))
  }

  test("ordered => true emits the anchors in the order of `order`") {
    def ordered(more: String) = spark.sql(
      "SELECT lo FROM window_by(TABLE(source), TABLE(SELECT * FROM VALUES (1, 9), (3, 4), (2, 2), (3, 3) " +
        s"AS a(lo, hi)), 'count(*) AS n', 't', 'lo', 'hi', ordered => true$more)"
    )
    def found(more: String) = ordered(more).collect().map(_.getInt(0)).toSeq
    assert(found(", order => '-lo'") === Seq(3, 3, 2, 1))
    assert(found(", order => 'hi % 4'") === Seq(3, 1, 2, 3))
    assertCondition(intercept[AnalysisException](ordered("")), "MUNTIN_ORDERED_WITHOUT_ORDER")
  }

  private def of(anchors: String, columns: String = "lo, hi") =
    spark.sql(
      s"SELECT * FROM window_by(TABLE(source), TABLE(SELECT * FROM VALUES $anchors AS a($columns)), " +
        "'count(*) AS n', 't', 'lo', 'hi')"
    )

  test("invalid windows are errors that show the anchor") {
    refused(of("(1, 2), (5, 4)"), "MUNTIN_ANCHOR_STARTS_AFTER_END", "lo = 5, hi = 4")
    refused(of("(1, 2), (null, 4)"), "MUNTIN_NULL_ANCHOR_TIME", "`start`", "lo = NULL, hi = 4")
    refused(of("(1, 2), (5, null)"), "MUNTIN_NULL_ANCHOR_TIME", "`end`", "lo = 5, hi = NULL")
    refused(
      of("(1D, double('infinity'))"),
      "MUNTIN_ANCHOR_END_NOT_FINITE",
      "lo = 1.0, hi = Infinity"
    )
    refused(of("(float('NaN'), float('NaN'))"), "hi = NaN", "MUNTIN_ANCHOR_END_NOT_FINITE")
    assertCondition(
      intercept[AnalysisException](of("(TIMESTAMP'2026-01-02', TIMESTAMP'2026-01-01 10:00:00')")),
      "MUNTIN_INCOMPATIBLE_WINDOW_TIMES",
      "types" -> "time INT, start TIMESTAMP, end TIMESTAMP"
    )
    assert(of("(-double('infinity'), 4D)").head().getLong(2) === 4L)
  }

  private def call(arguments: String) =
    spark.sql(s"SELECT * FROM window_by(TABLE(source), TABLE(anchors), $arguments)")

  private def invalid(query: => DataFrame)(condition: String, parameters: (String, String)*): Unit =
    assertCondition(
      intercept[AnalysisException](query),
      condition,
      ("function" -> "window_by") +: parameters: _*
    )

  test("the analyzer rejects invalid arguments") {
    invalid(call("'count(*)', 't', 'array(lo)', 'hi'"))(
      "MUNTIN_INCOMPATIBLE_WINDOW_TIMES",
      "types" -> "time INT, start ARRAY<INT>, end INT"
    )
    invalid(call("'count(*)', 'map(t, x)', 'map(lo, 1)', 'map(hi, 1)'"))(
      "MUNTIN_INCOMPATIBLE_WINDOW_TIMES"
    )
    Seq("''", "'count(*) FROM source'").foreach { list =>
      invalid(call(s"$list, 't', 'lo', 'hi'"))(
        "MUNTIN_INVALID_ARGUMENT_VALUE",
        "parameter" -> "aggregates",
        "argument" -> list
      )
    }
    invalid(call("'sum(x', 't', 'lo', 'hi'"))(
      "MUNTIN_UNPARSABLE_ARGUMENT",
      "parameter" -> "aggregates",
      "argument" -> "sum(x"
    )
    invalid(call("'count(*)', 't, x', 'lo', 'hi'"))(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "argument" -> "'t, x'",
      "expected" -> "one expression"
    )
    invalid(call("'count(*)', t, 'lo', 'hi'"))(
      "MUNTIN_COLUMN_AS_TABLE_ARGUMENT",
      "parameter" -> "time",
      "expected" -> "'t'"
    )
    invalid(call("'count(*)', 1, 'lo', 'hi'"))(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "expected" -> "a string, such as 't'"
    )
    invalid(call("'count(*)', 't', 'lo', 'hi', 'k + 1'"))(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "parameter" -> "on"
    )
    invalid(call("'sum(x) OVER (ORDER BY t)', 't', 'lo', 'hi'"))(
      "MUNTIN_COLUMN_OUTSIDE_AGGREGATE",
      "column" -> "x"
    )
    invalid(call("'count(DISTINCT *)', 't', 'lo', 'hi'"))("MUNTIN_AGGREGATE_OF_ANCHOR")
    invalid(call("'count(*)', 't', 'lo', 'hi', order => 'lo'"))(
      "MUNTIN_ARGUMENT_WITHOUT_EFFECT",
      "parameter" -> "order"
    )
    invalid(spark.sql(
      "SELECT * FROM window_by(TABLE(source) PARTITION BY (k), TABLE(anchors), 'count(*)', 't', 'lo', 'hi')"
    ))("MUNTIN_PARTITIONED_TABLE_ARGUMENT", "example" -> "TABLE(…), on => 'k'")
    invalid(
      spark.sql("SELECT * FROM window_by(1, TABLE(anchors), 'count(*)', 't', 'lo', 'hi')")
    )("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> "source", "expected" -> "TABLE(…)")
    invalid(spark.sql("SELECT window_by(1, 2, 3, 4)"))(
      "MUNTIN_MISPLACED_TABLE_FUNCTION",
      "place" -> "Project"
    )
    val by = windowBy(spark.table("source"), spark.table("anchors"), col("t"), col("lo"), col("hi"))
    invalid(by.agg(col("x")))("MUNTIN_COLUMN_OUTSIDE_AGGREGATE", "column" -> "x")
    invalid(by.agg(lit(1)))("MUNTIN_OUTPUT_WITHOUT_AGGREGATE", "output" -> "1")
    refused(by.agg(rand()), "rand")
    refused(call("'count(*)', 'nope', 'lo', 'hi'"), "nope", "UNRESOLVED_COLUMN")
    refused(call("'count(*)', 't', 'nope', 'hi'"), "nope", "UNRESOLVED_COLUMN")
    refused(call("'count(*)', 't', 'lo', 'hi', 'x'"), "`x`", "UNRESOLVED_COLUMN")
    refused(call("'count(*)', 't', 'lo', 'hi', 'k', 'open'"), "'open'", "'neither'")
    refused(call("'x', 't', 'lo', 'hi'"), "x")
    refused(call("'count(*)', 'lo', 'lo', 'hi'"), "UNRESOLVED_COLUMN")
    refused(call("'sliding(sum(x), 2)', 't', 'lo', 'hi'"), "requires an OVER clause")
    refused(call("'count(*)', 't', 'lo'"), "end")
  }

  test("clock") {
    def at(frame: DataFrame) = frame.collect().map(_.get(0)).toSeq
    assert(at(functions.clock(spark, 3L, 10L, 3L)) === Seq(3L, 6L, 9L))
    assert(at(functions.clock(spark, 3L, 9L, 3L)) === Seq(3L, 6L, 9L))
    assert(at(functions.clock(spark, 3L, 3L, 3L)) === Seq(3L))
    val start = Instant.parse("2026-03-29T00:30:00Z")
    assert(at(functions.clock(spark, start, start.plusSeconds(4000), Duration.ofMinutes(30)))
      .map(_.asInstanceOf[java.sql.Timestamp].toInstant) ===
      Seq(0, 1800, 3600).map(s => start.plusSeconds(s.toLong)))
    Seq(() => functions.clock(spark, 3L, 2L, 1L), () => functions.clock(spark, 3L, 4L, 0L)).foreach {
      made =>
        assert(intercept[IllegalArgumentException](made()).getMessage.contains("`clock`"))
    }
  }
}

object WindowBySuite {

  /** An aggregate that supports only merges. */
  private object Total extends Aggregator[Option[Int], Long, Long] {
    override def zero: Long = 0L
    override def reduce(total: Long, value: Option[Int]): Long = total + value.getOrElse(0)
    override def merge(a: Long, b: Long): Long = a + b
    override def finish(total: Long): Long = total
    override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }
}

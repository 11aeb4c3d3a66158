package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.sql.Timestamp
import java.time.Instant

import scala.jdk.StreamConverters._
import scala.util.Random

import io.muntin.kernel.Cases
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.types.StructType

/**
 * Tables of results that are refreshed after rows of the source were inserted, updated and deleted:
 * they equal the query over the changed source.
 */
final class RefreshSuite extends RefreshedTables {
  override protected def results: String = "refreshed_results"

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.shuffle.partitions" -> "2",
      "spark.sql.ansi.enabled" -> "false"
    )

  private val schema =
    StructType.fromDDL("k string, t timestamp, d date, n int, i int, x double, dim int")
  private val Origin = Instant.parse("2026-01-01T00:00:00Z")

  private def row(random: Random, i: Int): Row = {
    val hours = random.nextInt(24 * 40)
    val time = Origin.plusSeconds(hours * 3600L)
    Row(
      if (random.nextInt(20) == 0) null else s"k${random.nextInt(4)}",
      if (random.nextInt(40) == 0) null else Timestamp.from(time),
      java.sql.Date.valueOf(time.atZone(java.time.ZoneOffset.UTC).toLocalDate),
      hours,
      i,
      if (random.nextInt(9) == 0) null else random.nextGaussian(),
      random.nextInt(5)
    )
  }

  /** The rows of a source, with their history. */
  private final class Changing(random: Random) {
    var rows: Vector[Row] = Vector.tabulate(300)(row(random, _))
    private var next = rows.size

    private def made(): Row = {
      next += 1
      row(random, next)
    }

    /** Changes some rows, and returns them before and after. */
    def change(): Seq[Row] = {
      val deleted = random.shuffle(rows).take(random.nextInt(4))
      val updated = random.shuffle(rows.diff(deleted)).take(random.nextInt(4))
      val after = updated.map { old =>
        val values = made().toSeq.zip(old.toSeq).zipWithIndex.map { case ((now, before), c) =>
          // A change of the value, and sometimes of the key or the time.
          if (c == 5 || (c < 4 && random.nextInt(4) == 0)) now else before
        }
        Row.fromSeq(values)
      }
      val inserted = Seq.fill(random.nextInt(4))(made())
      rows = rows.diff(deleted).diff(updated) ++ after ++ inserted
      deleted ++ updated ++ after ++ inserted
    }
  }

  private def view(name: String, rows: Seq[Row]): Unit = Tables.of(spark, rows, schema)
    .createOrReplaceTempView(name)

  private val queries = Seq(
    "RANGE of days" ->
      """SELECT k, t, i, x, sum(x) OVER (w RANGE INTERVAL 3 DAYS PRECEDING) AS s,
        |  count(*) OVER (w RANGE BETWEEN INTERVAL 5 HOURS PRECEDING AND CURRENT ROW) AS c, d
        |FROM src WINDOW w AS (PARTITION BY k ORDER BY t)""".stripMargin,
    "RANGE that looks ahead" ->
      """SELECT k, n, i, avg(x) OVER (PARTITION BY k ORDER BY n RANGE BETWEEN 30 PRECEDING
        |  AND 20 FOLLOWING) AS s, d FROM src WHERE dim < 4""".stripMargin,
    "RANGE of dates and months" ->
      """SELECT k, d, i, max(x) OVER (PARTITION BY k ORDER BY d RANGE 2 PRECEDING) AS m,
        |  min(x) OVER (PARTITION BY k ORDER BY d RANGE INTERVAL 1 MONTH PRECEDING) AS l
        |FROM src""".stripMargin,
    "ROWS that look back and ahead" ->
      """SELECT k, t, i, sum(x) OVER (w ROWS 4 PRECEDING) AS s, lag(x, 2) OVER w AS l, d,
        |  avg(x) OVER (w ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) AS a, lead(x) OVER w AS e
        |FROM src WINDOW w AS (PARTITION BY k ORDER BY t, i)""".stripMargin,
    "ROWS over RANGE over ROWS" ->
      """SELECT *, max(r) OVER (PARTITION BY k ORDER BY n, i DESC ROWS 1 PRECEDING) AS m FROM (
        |  SELECT *, sum(s) OVER (PARTITION BY k ORDER BY n RANGE 9 PRECEDING) AS r FROM (
        |    SELECT k, n, i, d, sum(x) OVER (PARTITION BY k ORDER BY n, i ROWS 2 PRECEDING) AS s
        |    FROM src))""".stripMargin,
    "renamed keys and times" ->
      """SELECT key, k2, at, i, day AS d, s, max(s) OVER (PARTITION BY k2 ORDER BY at ROWS 2 PRECEDING)
        |  AS m FROM (SELECT k AS key, k AS k2, n AS at, i, d AS day,
        |  sum(x) OVER (PARTITION BY k ORDER BY n RANGE 9 PRECEDING) AS s FROM src)""".stripMargin,
    "ROWS over a filter" ->
      """SELECT *, sum(s) OVER (PARTITION BY k ORDER BY n, i ROWS 1 PRECEDING) AS m FROM (
        |  SELECT k, n, i, d, sum(x) OVER (PARTITION BY k ORDER BY n, i ROWS 1 PRECEDING) AS s
        |  FROM src) WHERE s > 0""".stripMargin,
    "ROWS of more keys" ->
      """SELECT k, n, i, d, sum(x) OVER (PARTITION BY k, dim ORDER BY n, i ROWS 1 PRECEDING) AS s,
        |  sum(x) OVER (PARTITION BY k ORDER BY n, i ROWS 1 PRECEDING) AS m
        |FROM src""".stripMargin,
    "lag that skips nulls" ->
      """SELECT k, n, i, d, lag(x, 1) IGNORE NULLS OVER (PARTITION BY k ORDER BY n, i) AS l
        |FROM src""".stripMargin,
    "ROWS and running totals" ->
      """SELECT k, t, i, sum(x) OVER (PARTITION BY k ORDER BY t, i ROWS 4 PRECEDING) AS s,
        |  sum(x) OVER (PARTITION BY k ORDER BY t, i) AS u,
        |  rank() OVER (PARTITION BY k ORDER BY t, i) AS r, d FROM src""".stripMargin,
    "counts and sums of whole numbers" ->
      """SELECT k, n, i, d, count(*) OVER w AS c, count(x) FILTER (WHERE dim < 3) OVER w AS f,
        |  sum(150 - i) OVER w AS s, sum(CAST(dim AS DECIMAL(9, 2))) OVER w AS e, min(i) OVER w AS l,
        |  max(t) OVER w AS m, row_number() OVER w AS r, dense_rank() OVER w AS g
        |FROM src WINDOW w AS (PARTITION BY k ORDER BY n, i)""".stripMargin,
    "running totals of times, over RANGE and below RANGE" ->
      """SELECT key, at, i, d, s, sum(c) OVER (PARTITION BY key ORDER BY at) AS v,
        |  sum(c) OVER (PARTITION BY key ORDER BY at RANGE INTERVAL 3 HOURS PRECEDING) AS o, c AS total
        |FROM (SELECT k AS key, t AS at, i, d,
        |  count(*) OVER (PARTITION BY k ORDER BY t) AS c,
        |  sum(x) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 5 HOURS PRECEDING) AS s FROM src
        |WHERE dim <> 3)""".stripMargin,
    "running totals that are not in the result" ->
      """SELECT k, n, i, d, c * 2 AS c FROM (
        |  SELECT *, count(*) OVER (PARTITION BY k ORDER BY n, i) AS c FROM src)""".stripMargin,
    "running totals that are filtered" ->
      """SELECT * FROM (SELECT k, n, i, d, count(*) OVER (PARTITION BY k ORDER BY n, i) AS c
        |  FROM src) WHERE i % 3 = 0""".stripMargin,
    "running totals in descending order of a number" ->
      """SELECT k, n, i, d, sum(dim) OVER (PARTITION BY k ORDER BY n, i DESC) AS c,
        |  count(*) OVER (PARTITION BY k ORDER BY n, i DESC ROWS UNBOUNDED PRECEDING) AS r
        |FROM src""".stripMargin,
    "ranks by the size of the partition" ->
      """SELECT k, n, i, ntile(3) OVER w AS t, percent_rank() OVER w AS p, cume_dist() OVER w AS c,
        |  lag(i, 2) OVER w AS l, nth_value(i, 2) OVER w AS v, d
        |FROM src WINDOW w AS (PARTITION BY k ORDER BY n, i)""".stripMargin,
    "descending order" ->
      """SELECT k, n, i, sum(x) OVER (PARTITION BY k ORDER BY n DESC RANGE 20 PRECEDING) AS s, d
        |FROM src""".stripMargin,
    "frames that look ahead to the end" ->
      """SELECT k, n, i, sum(x) OVER (PARTITION BY k ORDER BY n, i ROWS BETWEEN CURRENT ROW AND
        |  UNBOUNDED FOLLOWING) AS s, lead(x) OVER (PARTITION BY k ORDER BY n, i) AS l, d
        |FROM src""".stripMargin,
    "Muntin's windows" ->
      """SELECT k, t, i, since(sum(x), dim = 0) OVER (PARTITION BY k ORDER BY t, i) AS s,
        |  sliding(max(i), 3, dim = 1) OVER (PARTITION BY k ORDER BY t, i) AS m, d
        |FROM src""".stripMargin,
    "sessions" ->
      """SELECT k, n, i, d, session(sum(x), 3) OVER (PARTITION BY k ORDER BY n) AS s
        |FROM src""".stripMargin,
    "sessions of times" ->
      """SELECT k, t, i, d, session(max(i), INTERVAL 100 MINUTES) OVER (PARTITION BY k ORDER BY t) AS c
        |FROM src""".stripMargin,
    "session_number" ->
      """SELECT k, n, i, d, session_number(3) OVER (PARTITION BY k ORDER BY n) AS s
        |FROM src""".stripMargin,
    "since and sliding" ->
      """SELECT k, n, i, d, since(sum(x), dim = 0, 2) OVER (PARTITION BY k ORDER BY n, i) AS s,
        |  sliding(avg(x), 2, dim = 1) OVER (PARTITION BY k ORDER BY n, i) AS a,
        |  since(count(*), dim = 2, closed => 'left') OVER (PARTITION BY k ORDER BY n, i) AS c
        |FROM src""".stripMargin,
    "fill" ->
      """SELECT k, n, i, d, fill(x) OVER (PARTITION BY k ORDER BY n, i) AS f,
        |  fill(x, 'next') OVER (PARTITION BY k ORDER BY n, i) AS b,
        |  fill(x, 'linear') OVER (PARTITION BY k ORDER BY n, i) AS l FROM src""".stripMargin,
    "since over RANGE" ->
      """SELECT *, since(max(s), dim = 0) OVER (PARTITION BY k ORDER BY n) AS m FROM (
        |  SELECT k, n, i, d, dim, sum(x) OVER (PARTITION BY k ORDER BY n RANGE 4 PRECEDING) AS s
        |  FROM src)""".stripMargin,
    "a condition on results" ->
      """SELECT *, sliding(sum(s), 2, s > 0) OVER (PARTITION BY k ORDER BY n, i) AS v FROM (
        |  SELECT k, n, i, d, dim, sum(x) OVER (PARTITION BY k ORDER BY n RANGE 4 PRECEDING) AS s
        |  FROM src)""".stripMargin,
    "moving averages and rates" ->
      """SELECT k, n, i, d, ewm_mean(x, alpha => 0.5) OVER (PARTITION BY k ORDER BY n, i) AS e,
        |  framed(sum(x), closed => 'left') OVER (PARTITION BY k ORDER BY n, i ROWS 3 PRECEDING) AS f,
        |  pct_change(x) OVER (PARTITION BY k ORDER BY n, i) AS p FROM src""".stripMargin,
    "functions that merge blocks of rows" ->
      """SELECT k, n, i, d, approx_percentile(x, 0.5, 5) OVER w AS p, skewness(x) OVER w AS v,
        |  histogram_numeric(x, 3) OVER w AS h, corr(x, i) OVER w AS c, mode(dim) OVER w AS m
        |FROM src WINDOW w AS (PARTITION BY k ORDER BY n RANGE 600 PRECEDING)""".stripMargin,
    "windows over windows" ->
      """SELECT *, max(s) OVER (PARTITION BY k ORDER BY n RANGE 10 PRECEDING) AS m FROM (
        |  SELECT k, n, i, d, sum(x) OVER (PARTITION BY k ORDER BY n RANGE 20 PRECEDING) AS s
        |  FROM src)""".stripMargin,
    "windows with more keys" ->
      """SELECT k, n, dim, i, d, sum(x) OVER (PARTITION BY k, dim ORDER BY n RANGE 50 PRECEDING) AS s,
        |  count(*) OVER (PARTITION BY k ORDER BY n RANGE 9 PRECEDING) AS c FROM src""".stripMargin,
    "tumble" ->
      """SELECT k, CAST(tumble.start AS DATE) AS d, tumble.start AS at, sum(x) AS s FROM src
        |WHERE t IS NOT NULL GROUP BY k, tumble(t, '1 day')""".stripMargin,
    "hop" ->
      """SELECT k, hop.start AS at, CAST(hop.start AS DATE) AS d, sum(x) AS s, count(*) AS c FROM src
        |WHERE t IS NOT NULL GROUP BY k, hop(t, '2 hours', '5 hours')""".stripMargin,
    "tumble of months" ->
      """SELECT k, tumble.start AS d, sum(x) AS s FROM src GROUP BY k, tumble(d, '1 month')""".stripMargin,
    "windows of numbers, and a window over them" ->
      """SELECT k, n, s, d, sum(s) OVER (PARTITION BY k ORDER BY n RANGE 60 PRECEDING) AS w FROM (
        |  SELECT k, tumble.start AS n, sum(i) AS s, DATE'2026-01-01' + CAST(tumble.start AS INT) AS d
        |  FROM src GROUP BY k, tumble(n, 7))""".stripMargin,
    "sessions of groups" ->
      """SELECT k, sessions.start AS n, sessions.end AS e, sum(x) AS s,
        |  DATE'2026-01-01' + CAST(sessions.start AS INT) AS d
        |FROM src GROUP BY k, sessions(n, 9)""".stripMargin,
    "windows of groups without their start" ->
      """SELECT k, tumble, sum(x) AS s, CAST(tumble.end AS DATE) AS d FROM src
        |WHERE t IS NOT NULL GROUP BY k, tumble(t, '1 day')""".stripMargin,
    "GROUP BY and a window" ->
      """SELECT k, d, s, avg(s) OVER (PARTITION BY k ORDER BY d RANGE 6 PRECEDING) AS week FROM (
        |  SELECT k, d, sum(x) AS s FROM src GROUP BY k, d)""".stripMargin,
    "a window over UNION ALL" ->
      """SELECT *, sum(x) OVER (PARTITION BY k ORDER BY n, i ROWS 2 PRECEDING) AS s FROM (
        |  SELECT k, n, i, x, d FROM src UNION ALL SELECT k, n, -i, x, d FROM other)""".stripMargin,
    "UNION of windows" ->
      """SELECT k, n, i, d, sum(x) OVER (PARTITION BY k ORDER BY n RANGE 9 PRECEDING) AS s FROM src
        |UNION SELECT k, n, i + 5, d, max(x) OVER (PARTITION BY k ORDER BY n RANGE 9 PRECEDING)
        |FROM other""".stripMargin,
    "an as-of join to a changed table" ->
      """SELECT o.k, o.i, o.n, o.d, s.t AS since FROM other AS o JOIN src AS s
        |ON o.k = s.k AND asof(o.t, s.t, strict => true)""".stripMargin,
    "an as-of join to groups of a changed table" ->
      """SELECT o.k, o.i, o.n, o.d, s.x, s.c FROM other AS o LEFT JOIN (
        |  SELECT k, t, max(x) AS x, count(*) AS c FROM src WHERE t IS NOT NULL GROUP BY k, t) AS s
        |ON o.k = s.k AND asof(o.t, s.t)""".stripMargin,
    "an as-of join of a changed table" ->
      """SELECT s.k, s.i, s.n, s.d, o.t AS since FROM src AS s LEFT JOIN other AS o
        |ON s.k = o.k AND asof(s.t, o.t, strict => true)""".stripMargin,
    "a window over an as-of join" ->
      """SELECT *, sum(y) OVER (PARTITION BY k ORDER BY n, i ROWS 2 PRECEDING) AS w FROM (
        |  SELECT s.k, s.i, s.n, s.d, unix_seconds(o.t) AS y FROM src AS s LEFT JOIN other AS o
        |  ON s.k = o.k AND asof(s.t, o.t, strict => true))""".stripMargin,
    "window_by over a changed table" ->
      """SELECT * FROM window_by(TABLE(src), TABLE(SELECT k, t AS at, i, d FROM other WHERE t IS NOT NULL),
        |  aggregates => 'sum(x) AS s, count(*) AS c', time => 't',
        |  start => 'at - INTERVAL 5 HOURS', end => 'at', on => 'k')""".stripMargin,
    "window_by of changed anchors" ->
      """SELECT * FROM window_by(TABLE(other), TABLE(SELECT k, t AS at, i, d FROM src WHERE t IS NOT NULL),
        |  aggregates => 'sum(x) AS s, count(*) AS c', time => 't',
        |  start => 'at - INTERVAL 5 HOURS', end => 'at', on => 'k')""".stripMargin,
    "a join below, a filter above" ->
      """SELECT * FROM (SELECT k, n, i, name, d,
        |  sum(x) OVER (PARTITION BY k ORDER BY n RANGE 40 PRECEDING) AS s
        |FROM src LEFT JOIN dims USING (dim)) WHERE s > -1""".stripMargin
  )

  private def refresh(sql: String, changed: Seq[Row], more: String = ""): Row = {
    view("changed", changed)
    spark.sql(sql).createOrReplaceTempView("query")
    spark.sql(
      s"SELECT * FROM refresh(TABLE(query), 'refreshed_results', TABLE(changed), 'src', full => false$more)"
    ).collect().head
  }

  private def withResults(sql: String)(body: => Unit): Unit = {
    spark.sql("DROP TABLE IF EXISTS refreshed_results")
    spark.sql("SELECT 0 AS dim, 'zero' AS name UNION ALL SELECT 1, 'one'")
      .createOrReplaceTempView("dims")
    view("other", new Changing(new Random(99L)).rows.take(100))
    try {
      spark.sql(sql).write.partitionBy("d").format("parquet").saveAsTable("refreshed_results")
      body
    } finally spark.sql("DROP TABLE IF EXISTS refreshed_results"): Unit
  }

  for ((name, sql) <- queries) sampledTest(name, most = 4) {
    // `make test` runs a sample.
    for (seed <- 1 to (if (Cases.isGate) 1 else Cases(6).value)) {
      val source = new Changing(new Random(seed.toLong))
      view("src", source.rows)
      withResults(sql) {
        for (_ <- 1 to (if (Cases.isGate) 1 else 3)) {
          val changed = source.change()
          view("src", source.rows)
          val dry = refresh(sql, changed, ", dry_run => true")
          val done = refresh(sql, changed)
          assert(dry === done)
          checkRefreshed(sql)
          // Again: the same.
          val again = refresh(sql, changed)
          assert(again.getLong(3) === done.getLong(4) && again.getLong(4) === done.getLong(4))
          checkRefreshed(sql)
        }
      }
    }
  }

  test("affected lists times of each type, and NULL if all times are affected") {
    val day = java.sql.Date.valueOf("2026-01-05")
    val at = Timestamp.from(Instant.parse("2026-01-05T10:30:00Z"))
    val changed = Seq(Row("k1", at, day, 100, 1, 1.0, 0))
    view("src", changed)
    view("changed", changed)
    val queries = Seq(
      "sum(x) OVER (PARTITION BY k ORDER BY n RANGE 9 PRECEDING)" -> Seq("100", "109"),
      "sum(x) OVER (PARTITION BY k ORDER BY d RANGE 2 PRECEDING)" ->
        Seq("2026-01-05", "2026-01-07"),
      "sum(x) OVER (PARTITION BY k ORDER BY d RANGE INTERVAL 1 MONTH PRECEDING)" ->
        Seq("2026-01-05", "2026-02-07"),
      "sum(x) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 2 MINUTES PRECEDING)" ->
        Seq("2026-01-05 10:30:00", "2026-01-05 10:32:01"),
      "sum(x) OVER (PARTITION BY k ORDER BY z RANGE INTERVAL 2 DAYS PRECEDING)" ->
        Seq("2026-01-05 10:30:00", "2026-01-09 10:30:00"),
      "sum(x) OVER (PARTITION BY k ORDER BY f RANGE 0.5D PRECEDING)" -> Seq("100.0", "100.5"),
      "sum(x) OVER (PARTITION BY k ORDER BY n)" -> Seq("100", null),
      "sum(x) OVER (PARTITION BY k ORDER BY n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)" ->
        Seq(null, "100"),
      "ntile(2) OVER (PARTITION BY k ORDER BY n)" -> Seq(null, null)
    )
    for ((function, times) <- queries) {
      val sql = s"SELECT *, $function AS r FROM " +
        "(SELECT *, CAST(t AS TIMESTAMP_NTZ) AS z, CAST(n AS DOUBLE) AS f FROM src)"
      withResults(sql) {
        spark.sql(sql).createOrReplaceTempView("query")
        val listed = spark.sql("SELECT * FROM affected(TABLE(query), 'refreshed_results', " +
          "TABLE(changed))").collect().toSeq
        // Distances are rounded up by a billionth.
        val shown = listed.map(r =>
          Seq(r.get(1), r.get(2)).map {
            case s: String => s.take(19).replaceAll("(100\\.5)0+.*", "$1")
            case other => other
          }
        )
        assert(shown === Seq(times), function)
        ()
      }
    }
  }

  test("running totals continue from former results") {
    def rowsRead(name: String): Long = {
      val sql = queries.toMap.apply(name)
      view(
        "src",
        (0 until 100).map(n => Row("k1", null, java.sql.Date.valueOf("2026-01-01"), n, n, 1.0, 0))
      )
      val last = Row("k1", null, java.sql.Date.valueOf("2026-01-01"), 99, 99, 1.0, 0)
      var read = 0L
      withResults(sql) {
        read = refresh(sql, Seq(last)).getLong(2)
      }
      read
    }
    assert(rowsRead("counts and sums of whole numbers") === 1)
    assert(rowsRead("running totals that are not in the result") === 100)
    assert(rowsRead("running totals that are filtered") === 100)
    assert(rowsRead("running totals in descending order of a number") === 100)
  }

  test("the reason why more is computed than what changed rows reach") {
    val source = new Changing(new Random(3L))
    view("src", source.rows)
    val changed = source.rows.filter(r => !r.isNullAt(0) && !r.isNullAt(1)).take(1)
    val reasons = queries.map { case (name, sql) =>
      var reason = ""
      withResults(sql) {
        val stored = refresh(sql, changed, ", dry_run => true").getString(6)
        reason = Option(stored).fold("")(_.takeWhile(_ != '('))
      }
      name -> reason
    }.filter(_._2 != "")
    assert(reasons.toMap === Map(
      "ROWS over a filter" -> "sum",
      "ROWS of more keys" -> "sum",
      "ROWS and running totals" -> "sum",
      "counts and sums of whole numbers" -> "count",
      "running totals of times, over RANGE and below RANGE" -> "count",
      "running totals that are not in the result" -> "count",
      "running totals that are filtered" -> "count",
      "running totals in descending order of a number" -> "sum",
      "ranks by the size of the partition" -> "ntile",
      "descending order" -> "sum",
      "frames that look ahead to the end" -> "sum",
      "session_number" -> "session_number",
      "a condition on results" -> "sliding",
      "moving averages and rates" -> "ewm_mean",
      "functions that merge blocks of rows" -> "histogram_numeric",
      "windows of groups without their start" -> "ORDER BY",
      "GROUP BY and a window" -> "GROUP BY",
      "an as-of join to a changed table" -> "asof",
      "an as-of join to groups of a changed table" -> "GROUP BY",
      "an as-of join of a changed table" -> "asof",
      "window_by over a changed table" -> "window_by",
      "window_by of changed anchors" -> "window_by"
    ))
  }

  test("partitions without replaced rows get files until they have many") {
    val sql = "SELECT k, n, i, sum(i) OVER (PARTITION BY k ORDER BY n, i) AS s, d FROM src"
    val first = Row("k1", new Timestamp(0L), java.sql.Date.valueOf("2026-01-01"), 0, 0, 1.0, 0)
    def at(n: Int): Row = Row.fromSeq(first.toSeq.updated(3, n))
    view("src", (1 to 99).map(at))
    withResults(sql) {
      spark.sql(sql).repartition(99).write.mode("overwrite").partitionBy("d").format("parquet")
        .saveAsTable("refreshed_results")
      def files: Int = Files.list(location.resolve("d=2026-01-01")).toScala(Seq)
        .count(_.getFileName.toString.endsWith(".parquet"))
      def arrives(n: Int, rows: Seq[Int], deleted: Int): Unit = {
        view("src", rows.map(at))
        assert(refresh(sql, Seq(at(n))).getLong(3) === deleted)
        checkRefreshed(sql)
      }
      val before = files
      arrives(100, 1 to 100, 0)
      assert(files === before + 1)
      for (n <- 101 to 201 - before) arrives(n, 1 to n, 0)
      assert(files < 20)
      // A late row.
      arrives(0, 0 to 201 - before, 201 - before)
    }
  }

  private def location: Path = Tables.location(spark, results)

  test("a process that dies while it replaces folders: the next refresh completes it") {
    val (_, sql) = queries.head
    val source = new Changing(new Random(5L))
    view("src", source.rows)
    withResults(sql) {
      val days = spark.sql(sql).select("d").distinct().collect().map(_.getDate(0)).sorted
      source.change(): Unit
      view("src", source.rows)
      val work = location.resolve("_muntin_refresh")
      spark.sql(sql).write.partitionBy("d").parquet(work.resolve("id").toString)
      val written = Files.list(work.resolve("id")).toScala(Seq).map(_.getFileName.toString)
        .filter(_.startsWith("d="))
      val lines =
        written.map("+" + _) ++ days.map(d => s"d=$d").filterNot(written.contains).map("-" + _)
      // Some folders have been moved already.
      val moved = location.resolve(written.head)
      if (Files.exists(moved)) Files.walk(moved).toScala(Seq).reverse.foreach(Files.delete(_))
      Files.move(work.resolve("id").resolve(written.head), moved)
      Files.writeString(work.resolve("pending"), "id")
      Files.writeString(work.resolve("id").resolve("_folders"), (lines :+ "end").mkString("\n"))
      assert(condition(sql) === "MUNTIN_REFRESH_CONFLICT")
      Files.setLastModifiedTime(work.resolve("pending"), FileTime.fromMillis(0L))
      // The next refresh reads the completed table.
      val changed = source.change()
      view("src", source.rows)
      refresh(sql, changed): Unit
      assert(!Files.exists(work))
      checkRefreshed(sql)
    }
  }

  test("a process that dies before it replaces folders: the table is unchanged") {
    val (_, sql) = queries.head
    view("src", new Changing(new Random(6L)).rows)
    withResults(sql) {
      val pending = location.resolve("_muntin_refresh").resolve("pending")
      Files.createDirectories(pending.getParent)
      Files.writeString(pending, "id")
      assert(condition(sql) === "MUNTIN_REFRESH_CONFLICT")
      Files.setLastModifiedTime(pending, FileTime.fromMillis(0L))
      refresh(sql, Nil): Unit
      checkRefreshed(sql)
    }
  }

  private def condition(sql: String, changed: Seq[Row] = Nil): String =
    intercept[AnalysisException](refresh(sql, changed)).getCondition

  test("queries that cannot be refreshed key by key") {
    view("src", new Changing(new Random(1L)).rows)
    val sql = queries.head._2
    withResults(sql) {
      for (
        (query, expected) <- Seq(
          "SELECT *, sum(x) OVER (ORDER BY n) AS s FROM src" -> "MUNTIN_REFRESH_WITHOUT_KEYS",
          "SELECT * FROM src" -> "MUNTIN_REFRESH_WITHOUT_WINDOWS",
          "SELECT t, sum(x) OVER (PARTITION BY k ORDER BY n) AS s FROM src" ->
            "MUNTIN_REFRESH_WITHOUT_KEYS",
          s"$sql ORDER BY i LIMIT 3" -> "MUNTIN_REFRESH_OF_WHOLE_TABLE",
          sql.replace("k, t, i, x", "k, t, i, rand() AS x") -> "MUNTIN_REFRESH_NOT_DETERMINISTIC",
          sql.replace("FROM src", "FROM src WHERE t < current_timestamp()") ->
            "MUNTIN_REFRESH_NOT_DETERMINISTIC",
          sql.replace("FROM src", "FROM src WHERE i < (SELECT max(i) FROM src)") ->
            "MUNTIN_REFRESH_SOURCE",
          sql.replace("FROM src", "FROM dims") -> "MUNTIN_REFRESH_SOURCE",
          sql.replace(" AS c", " AS other") -> "MUNTIN_REFRESH_TARGET_COLUMNS"
        ) if !query.contains("dims")
      )
        assert(condition(query) === expected, query)
    }
  }
}

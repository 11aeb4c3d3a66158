package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, ProjectExec}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.functions.{call_function, col, expr, lit, sum}
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec

/** The windows of groups in GROUP BY: other expressions next to them, and rejected queries. */
class GroupWindowsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      "CREATE TEMP VIEW trades AS SELECT * FROM VALUES (10, 'AMAT', 100), (20, 'AMAT', 200), " +
        "(40, 'AMAT', 100), (41, 'AMAT', 100), (45, 'INTC', 100), (50, 'AMAT', 200), " +
        "(55, 'INTC', 300), (65, 'AMAT', 100) AS trades(t, symbol, volume)"
    ): Unit
  }

  private def rows(query: String): Seq[Row] = rows(spark.sql(query))

  private def rows(frame: DataFrame): Seq[Row] = {
    assert(nodes(frame) { case w: GroupWindowsExec => w }.nonEmpty)
    frame.collect().toSeq.sortBy(_.toString)
  }

  private val totals =
    Seq(Row("AMAT", 0, 300L), Row("AMAT", 30, 400L), Row("AMAT", 60, 100L), Row("INTC", 30, 400L))

  test("a window next to a key, its fields by name") {
    assert(rows(
      "SELECT symbol, field_window.open, sum(volume) FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 30)"
    ) === totals)
    assert(rows(
      "SELECT field_window(t, 30, 30).open AS opened, sum(volume), symbol FROM trades " +
        "GROUP BY field_window(t, 30, 30), symbol"
    ).map(r => Row(r(2), r(0), r(1))).sortBy(_.toString) === totals)
  }

  test("the window's column has the function's name, or an alias") {
    def names(query: String) = spark.sql(query).columns.toSeq
    val window = "field_window(t, 30, 30)"
    assert(names(s"SELECT $window, count(*) AS n FROM trades GROUP BY $window") ===
      Seq("field_window", "n"))
    assert(names(s"SELECT field_window FROM trades GROUP BY $window") === Seq("field_window"))
    assert(names(s"SELECT $window AS w FROM trades GROUP BY $window") === Seq("w"))
    assert(rows(
      s"SELECT symbol, $window AS w, sum(volume) FROM trades GROUP BY symbol, w"
    ).map(r => Row(r(0), r.getStruct(1).get(0), r(2))) === totals)
    assert(rows(
      s"SELECT symbol, $window AS w, sum(volume) FROM trades GROUP BY 1, 2"
    ).map(r => Row(r(0), r.getStruct(1).get(0), r(2))) === totals)
  }

  test("DataFrames") {
    val window = call_function("field_window", col("t"), lit(30), lit(30)).as("w")
    val frame = spark.table("trades").groupBy(col("symbol"), window).agg(sum("volume").as("total"))
    assert(frame.columns.toSeq === Seq("symbol", "w", "total"))
    assert(rows(frame.select("symbol", "w.open", "total")) === totals)
  }

  test("HAVING, ORDER BY and expressions of aggregates") {
    assert(spark.sql(
      "SELECT symbol, sum(volume) / count(*) + max(t) AS x FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 30) HAVING sum(volume) > 100 AND field_window.open >= 0 " +
        "ORDER BY x DESC"
    ).collect().toSeq === Seq(
      Row("INTC", 255d),
      Row("AMAT", 183.33333333333334),
      Row("AMAT", 170d)
    ))
    assert(spark.sql(
      "SELECT symbol FROM trades GROUP BY symbol, field_window(t, 30, 30) " +
        "ORDER BY min(volume) DESC, field_window.open, max(t) - count(*), symbol"
    ).collect().toSeq === Seq("AMAT", "AMAT", "INTC", "AMAT").map(Row(_)))
  }

  test("keys that are expressions, of every kind, or none") {
    assert(rows(
      "SELECT lower(symbol) AS s, length(lower(symbol)) + 1 AS n, field_window.open, sum(volume) " +
        "FROM trades GROUP BY lower(symbol), field_window(t, 30, 30)"
    ) === totals.map(r => Row(r.getString(0).toLowerCase, 5, r(1), r(2))))
    assert(rows(
      "SELECT field_window.open, sum(volume) FROM trades GROUP BY field_window(t, 30, 30)"
    ) === Seq(Row(0, 300L), Row(30, 800L), Row(60, 100L)))
    assert(rows(
      "SELECT symbol, field_window.open, sum(volume) FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 30), struct(symbol, 1), if(symbol = 'AMAT', null, 2)"
    ) === totals)
  }

  test("no aggregate, and each aggregate once") {
    assert(rows(
      "SELECT symbol, field_window.open FROM trades GROUP BY symbol, field_window(t, 30, 30)"
    ) === totals.map(r => Row(r(0), r(1))))
    val frame = spark.sql(
      "SELECT sum(volume), sum(volume) + 1, count(*) FROM trades GROUP BY field_window(t, 30, 30)"
    )
    val node = nodes(frame) { case w: GroupWindowsExec => w }.head
    assert(node.functions.size === 2)
  }

  test("columns are written in the order of the query, without another operator") {
    def query(select: String) =
      s"SELECT $select FROM trades GROUP BY symbol, t % 2, field_window(t, 30, 30)"
    val all = Seq(
      "symbol",
      "t % 2",
      "field_window",
      "count(*)",
      "min(symbol)",
      "avg(volume)",
      "collect_list(t)"
    )
    val whole = spark.sql(query(all.map(f => s"$f AS `$f`").mkString(", "))).collect().toSeq
    assert(whole.size === 5)
    def column(row: Row, name: String): Any = row.get(all.indexOf(name))
    def shown(rows: Seq[Seq[Any]]) = rows.map(_.mkString(", ")).sorted
    // Only of fixed length, with others, once or several times, with some of the keys or none.
    for {
      fields <- Seq(
        Seq("count(*)", "avg(volume)", "field_window", "t % 2"),
        Seq("field_window", "symbol", "count(*)"),
        Seq("avg(volume)", "symbol", "t % 2", "symbol", "field_window"),
        Seq("collect_list(t)", "field_window", "count(*)", "symbol"),
        Seq("count(*)", "count(*)", "field_window", "field_window"),
        Seq("min(symbol)"),
        Seq("t % 2"),
        all.reverse
      )
    } {
      val names = fields.indices.map(i => s"c$i")
      val frame =
        spark.sql(query(fields.zip(names).map { case (f, n) => s"$f AS $n" }.mkString(", ")))
      assert(frame.columns.toSeq === names)
      assert(shown(frame.collect().toSeq.map(_.toSeq)) ===
        shown(whole.map(row => fields.map(column(row, _)))))
      assert(nodes(frame) {
        case p: ProjectExec if p.child.isInstanceOf[GroupWindowsExec] => p
      } === Nil)
    }
  }

  test("partitioning and sorting of a group's rows are preserved under other names") {
    val windows = "SELECT field_window AS w, symbol AS s, count(*) AS n FROM trades " +
      "GROUP BY symbol, field_window(t, 30, 30)"
    val again = spark.sql(s"SELECT s, sum(n) FROM ($windows) GROUP BY s")
    assert(rows(again) === Seq(Row("AMAT", 6L), Row("INTC", 2L)))
    assert(nodes(again) { case e: ShuffleExchangeLike => e }.size === 1)
    // The key is removed, so the rows are not partitioned by its other columns any more.
    val without = spark.sql(s"SELECT w, sum(n) FROM (SELECT w, n FROM ($windows)) GROUP BY w")
    assert(rows(without).map(_.getLong(1)) === Seq(2L, 5L, 1L))
    assert(nodes(without) { case e: ShuffleExchangeLike => e }.size === 2)
  }

  test("DISTINCT and FILTER") {
    assert(rows(
      "SELECT field_window.open, count(DISTINCT volume), sum(volume) FILTER (WHERE t < 50), " +
        "collect_list(DISTINCT volume) FROM trades GROUP BY field_window(t, 30, 30)"
    ) === Seq(
      Row(0, 2L, 300L, Seq(100, 200)),
      Row(30, 3L, 300L, Seq(100, 200, 300)),
      Row(60, 1L, null, Seq(100))
    ))
  }

  test("joined and united with itself") {
    val windows = spark.sql(
      "SELECT symbol, field_window AS w, sum(volume) AS total FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 30)"
    )
    assert(windows.as("a").join(windows.as("b"), expr("a.w = b.w AND a.symbol < b.symbol"))
      .selectExpr("a.total", "b.total").collect().toSeq === Seq(Row(400L, 400L)))
    assert(windows.join(windows, "w").count() === 6)
    assert(windows.union(windows).count() === 8)
  }

  test("in a subquery, a view, and over a window") {
    assert(rows(
      "SELECT symbol, max(total) FROM (SELECT symbol, sum(volume) AS total FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 30)) GROUP BY symbol"
    ) === Seq(Row("AMAT", 400L), Row("INTC", 400L)))
    assert(rows(
      "SELECT symbol, field_window.open, sum(sum(volume)) OVER (PARTITION BY symbol ORDER BY " +
        "field_window.open) AS running FROM trades GROUP BY symbol, field_window(t, 30, 30)"
    ) === Seq(
      Row("AMAT", 0, 300L),
      Row("AMAT", 30, 700L),
      Row("AMAT", 60, 800L),
      Row("INTC", 30, 400L)
    ))
    assert(rows(
      "SELECT field_window.open, count(*) FROM (SELECT symbol, field_window AS f FROM trades " +
        "GROUP BY symbol, field_window(t, 30, 30)) GROUP BY field_window(f.open, 60, 60)"
    ) === Seq(Row(0, 3L), Row(60, 1L)))
  }

  test("filters on keys are pushed below, and unused columns are removed") {
    val path = java.nio.file.Files.createTempDirectory("trades").toString
    spark.sql("SELECT *, 'x' AS unread FROM trades").write.mode("overwrite").parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("stored")
    val frame = spark.sql(
      "SELECT * FROM (SELECT symbol, field_window AS w, sum(volume) AS total, max(unread) FROM stored " +
        "GROUP BY symbol, field_window(t, 30, 30)) WHERE symbol = 'INTC' AND total > 1"
    ).select("symbol", "total")
    assert(rows(frame) === Seq(Row("INTC", 400L)))
    val scan = nodes(frame) { case s: FileSourceScanExec => s }.head
    assert(scan.requiredSchema.fieldNames.toSet === Set("t", "symbol", "volume"))
    assert(scan.dataFilters.exists(_.sql.contains("INTC")))
    val filters = nodes(frame) { case f: FilterExec => f.condition.sql }
    assert(filters.count(_.contains("> 1")) === 1)
  }

  test("EXPLAIN") {
    val query =
      "SELECT sum(volume), max(volume) FROM trades GROUP BY symbol, field_window(t, 30, 30)"
    val simple = spark.sql(s"EXPLAIN $query").head().getString(0)
    assert(simple.contains("MuntinGroupWindows [symbol"), simple)
    assert(simple.contains("size => 30"), simple)
    val formatted = spark.sql(s"EXPLAIN FORMATTED $query").head().getString(0)
    assert(formatted.contains("exact sum"), formatted)
  }

  private def refused(query: String, parts: String*): Unit = {
    val error = intercept[AnalysisException](spark.sql(query).collect())
    parts.foreach(part => assert(error.getMessage.contains(part), error.getMessage))
  }

  test("the analyzer rejects misplaced windows") {
    def error(query: String): AnalysisException = intercept[AnalysisException](spark.sql(query))
    assertCondition(
      error("SELECT 1 FROM trades GROUP BY field_window(t, 30, 30), field_window(t, 60, 60)"),
      "MUNTIN_SEVERAL_WINDOWS_IN_GROUP_BY",
      "window" -> "field_window(trades.t, size => 30, advance => 30)",
      "other" -> "field_window(trades.t, size => 60, advance => 60)"
    )
    assertCondition(
      error("SELECT 1 FROM trades GROUP BY field_window(t, 30, 30), " +
        "window(timestamp_seconds(t), '1 hour')"),
      "MUNTIN_SEVERAL_WINDOWS_IN_GROUP_BY"
    )
    Seq(
      "SELECT field_window(t, 30, 30) FROM trades" -> "Project",
      "SELECT 1 FROM trades WHERE field_window(t, 30, 30).open > 1" -> "Filter"
    ).foreach { case (query, place) =>
      assertCondition(
        error(query),
        "MUNTIN_MISPLACED_WINDOW",
        "function" -> "field_window",
        "place" -> place
      )
    }
    assertCondition(
      error("SELECT field_window(t, 30, 30), * FROM trades"),
      "MUNTIN_WINDOW_OF_ROWS"
    )
    assertCondition(
      error(
        "SELECT count(field_window.open) FROM trades GROUP BY ROLLUP (field_window(t, 30, 30))"
      ),
      "MUNTIN_AGGREGATE_OF_WINDOW"
    )
    refused(
      "SELECT volume FROM trades GROUP BY symbol, field_window(t, 30, 30)",
      "volume",
      "GROUP BY"
    )
    refused(
      "SELECT sum(sum(volume)) FROM trades GROUP BY symbol, field_window(t, 30, 30)",
      "aggregate"
    )
    refused("SELECT 1 FROM trades GROUP BY field_window(nothing, 30, 30)", "nothing")
  }

  test("on a stream the field must be a time with a watermark") {
    val stream = spark.readStream.format("rate").load().withColumn("t", col("value").cast("int"))
    val window = call_function("field_window", col("t"), lit(30), lit(30))
    assertCondition(
      intercept[AnalysisException](stream.groupBy(window).count()),
      "MUNTIN_NUMERIC_TIME_ON_STREAM",
      "function" -> "field_window",
      "time" -> "t",
      "type" -> "INT"
    )
  }

  /** Windows, with the fields that ascend from one window of a group to the next. */
  private val ascending: Seq[(String, Seq[String])] = Seq(
    "field_window(at, 30, 30)" -> Seq("open", "close"),
    "field_window(at, 50, 20, open => 'all')" -> Seq("open", "close"),
    "field_window(at, 40)" -> Seq("open", "close"),
    "hop(at, 20, 50)" -> Seq("start", "end"),
    "field_window(at, 40, 40, every => 10)" -> Nil,
    "field_window(at)" -> Nil,
    "ticks(at, 'minutely')" -> Seq("end"),
    "ticks(at, 'minutely', span => NULL)" -> Seq("end"),
    "sessions(at, 20)" -> Seq("start", "end"),
    "validity(at, until)" -> Seq("start"),
    "validity(at, until, dump_at => 5)" -> Seq("start"),
    "validity(at, until, emit => 'element')" -> Seq("start")
  )

  test("windows of a group are emitted in the order of time, and windows over them do not sort") {
    spark.sql(
      """CREATE OR REPLACE TEMP VIEW readings AS
        |SELECT k, timestamp_seconds(s) AS at,
        |  IF(id % 7 = 0, NULL, timestamp_seconds(s + id % 90)) AS until
        |FROM (SELECT id, pmod(hash(id), 5) AS k, pmod(hash(id, 1), 900) AS s FROM range(300))
        |""".stripMargin
    )
    for ((window, fields) <- ascending; field <- fields.map(Some(_)) :+ None) {
      val time = field.getOrElse("n")
      val found = spark.sql(
        s"""SELECT k, $time, lag(n) OVER (PARTITION BY k ORDER BY $time) FROM (
           |  SELECT k, w.*, n FROM (SELECT k, $window AS w, count(*) AS n FROM readings
           |  GROUP BY k, w))""".stripMargin
      )
      val sorts = nodes(found) { case s if s.nodeName.contains("Sort") => s }
      assert(sorts.size === (if (field.isEmpty) 2 else 1), s"$window by $time")
      if (field.isDefined) {
        val partitions = found.select("k", time).rdd.glom().collect()
        assert(partitions.exists(_.length > 5))
        partitions.foreach { rows =>
          val told = rows.toSeq.map(r => r.getInt(0) -> r.getTimestamp(1).getTime)
          assert(told === told.sorted, s"$window by $time")
        }
      }
    }
  }

  test("Spark's window and session_window over the column of a window") {
    val times =
      "(SELECT timestamp_seconds(t) AS at, timestamp_seconds(t + 7) AS until, symbol FROM trades)"
    val ntz = "(SELECT CAST(timestamp_seconds(t) AS TIMESTAMP_NTZ) AS at, symbol FROM trades)"
    val windows = Seq(
      times -> "field_window(at, '30 seconds', '10 seconds')",
      times -> "field_window(at, '30 seconds')",
      times -> "ticks(at, 'minutely')",
      times -> "validity(at, until)",
      times -> "sessions(at, '10 seconds')",
      ntz -> "field_window(at, '30 seconds', '10 seconds')"
    )
    interpreted(for {
      ((table, window), i) <- windows.zipWithIndex
      ((outer, start), j) <- Seq(
        "window(w, '1 minute')" -> "window.start",
        "window(w, '1 minute', '20 seconds')" -> "window.start",
        "session_window(w, '5 seconds')" -> "session_window.start"
      ).zipWithIndex
      if Repeats.selects(i + j, 3)
    } {
      def query(of: String, key: String = window) =
        s"SELECT symbol, $start, sum(n) FROM (SELECT symbol, $window AS w, count(*) AS n FROM $table GROUP BY symbol, $key) " +
          s"GROUP BY symbol, ${outer.replace("(w,", s"($of,")}"
      val found = rows(query("w"))
      val end = if (window.startsWith("field_window")) "w.close" else "w.end"
      val last = rows(query(s"timestampadd(MICROSECOND, -1, $end)"))
      assert(found === last && found.nonEmpty, window)
      if (outer == "window(w, '1 minute')") {
        assert(rows(query("w", key = "w")) === found)
        assert(rows(query("window_time(w)", key = "w")) === found)
      }
    })
    val refused = Seq("field_window(t, 30, 30)", "validity(t, t + 7)").map { window =>
      intercept[AnalysisException](spark.sql(
        s"SELECT sum(n) FROM (SELECT $window AS w, count(*) AS n FROM trades GROUP BY w) GROUP BY window(w, '1 minute')"
      )).getMessage
    }
    refused.foreach(message => assert(message.contains("DATATYPE_MISMATCH"), message))
  }
}

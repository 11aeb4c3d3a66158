package org.apache.spark.sql.muntin

import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec

class ExplainSuite extends MuntinSession {
  private def data = spark.range(100).selectExpr("id % 3 AS k", "id AS t", "id * 0.5D AS x")

  private def explain(mode: String, select: String): String = {
    data.createOrReplaceTempView("t")
    spark.sql(s"SELECT $select FROM t").queryExecution.explainString(ExplainMode.fromString(mode))
  }

  private val sliding =
    "sum(x) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING) AS s"

  test("the simple and the formatted plan show operator, frame and accumulator") {
    Seq("simple", "formatted").foreach { mode =>
      val text = explain(mode, sliding)
      assert(text.contains("MuntinWindow"), text)
      assert(text.contains("RANGE BETWEEN"), text)
      assert(text.contains("exact sum, correctly rounded"), text)
      assert(!text.contains("\nWindow") && !text.contains(" Window ["), text)
    }
    val formatted = explain("formatted", sliding)
    Seq("Input", "Arguments", "Partition by", "Order by", "Frame: ").foreach { title =>
      assert(formatted.contains(title), formatted)
    }
  }

  test("the formatted plan shows whether rows are extended in place") {
    def check(select: String, rows: String) = {
      val text = explain("formatted", select)
      assert(text.contains(s"\nRows: $rows\n"), text)
    }
    check(s"*, $sliding", "extended in place")
    check("*, max(string(x)) OVER (PARTITION BY k ORDER BY t) AS s", "copied")
    // The window drops more columns than it adds.
    check(sliding, "copied")
    withConf(MuntinConf.SortEnabled.key -> "false")(check(s"*, $sliding", "copied"))
  }

  test("the bounds of a frame are shown as written") {
    Seq(
      "ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING",
      "ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING",
      "RANGE BETWEEN 3L PRECEDING AND 1L FOLLOWING",
      "RANGE BETWEEN UNBOUNDED PRECEDING AND 2L PRECEDING"
    ).foreach { frame =>
      val text = explain("formatted", s"sum(x) OVER (ORDER BY t $frame) AS s")
      assert(text.contains(s"Frame: $frame ("), text)
    }
    val time = "timestamp_seconds(t)"
    Seq("INTERVAL '1' DAY", "INTERVAL '2' MONTH", "INTERVAL '02:30' HOUR TO MINUTE").foreach { i =>
      val frame = s"RANGE BETWEEN $i PRECEDING AND $i FOLLOWING"
      val text = explain("formatted", s"sum(x) OVER (ORDER BY $time $frame) AS s")
      assert(text.contains(s"Frame: $frame ("), text)
    }
    withConf("spark.sql.legacy.interval.enabled" -> "true") {
      val frame = "RANGE BETWEEN INTERVAL 1 MONTH 2 DAYS PRECEDING AND INTERVAL 3 HOURS FOLLOWING"
      val text = explain("formatted", s"sum(x) OVER (ORDER BY $time $frame) AS s")
      val shown = "INTERVAL '1 months 2 days' PRECEDING AND INTERVAL '3 hours' FOLLOWING"
      assert(text.contains(s"Frame: RANGE BETWEEN $shown ("), text)
    }
  }

  test("frames with several functions are listed once") {
    val w = "(PARTITION BY k ORDER BY t ROWS 2 PRECEDING)"
    val text =
      explain("formatted", s"sum(x) OVER $w, min(x) OVER $w, count(*) OVER (PARTITION BY k)")
    val frames = text.linesIterator.filter(_.startsWith("Frame: ")).toSeq
    assert(frames.size === 2, text)
    assert(frames.exists(f => f.contains("sum(") && f.contains("min(")), text)
  }

  test("the setting turns it off") {
    withMuntin(enabled = false) {
      val text = explain("simple", sliding)
      assert(!text.contains("MuntinWindow"), text)
      assert(text.contains("Window ["), text)
    }
  }

  test("functions that Spark runs stay in Spark's node, over one sort, with columns in order") {
    data.createOrReplaceTempView("t")
    val w = "(PARTITION BY k ORDER BY t)"
    val query =
      s"SELECT t, sum(x) OVER $w AS a, sparks_own(t) OVER $w AS b, max(x) OVER $w AS c," +
        s" sparks_own(k) OVER $w AS d FROM t"
    val frame = spark.sql(query)
    assert(muntinNodes(frame).size === 1)
    assert(sparkNodes(frame).size === 1)
    assert(nodes(frame) { case s: MuntinSortExec => s }.size === 1)
    assert(frame.columns === Array("t", "a", "b", "c", "d"))
    checkSame(query, TakenOver.Partly)
  }

  test("intervals are shown in SQL, not as numbers of microseconds") {
    spark.range(20).selectExpr("id AS k", "timestamp_seconds(id) AS t", "id * 0.5D AS x")
      .createOrReplaceTempView("timed")
    val six = "INTERVAL '6' HOUR"
    Seq(
      s"SELECT sum(x) OVER (PARTITION BY k ORDER BY t RANGE $six PRECEDING) FROM timed",
      s"SELECT count(*) FROM timed GROUP BY k, tumble(t, $six)",
      s"SELECT count(*) FROM timed GROUP BY k, hop(t, $six, INTERVAL '12' HOUR)",
      s"SELECT count(*) FROM timed GROUP BY k, sessions(t, $six)",
      "SELECT a.x, b.x FROM timed a JOIN timed b " +
        s"ON a.k = b.k AND asof(a.t, b.t, tolerance => $six)",
      s"SELECT a.x FROM timed a JOIN timed b ON overlaps(a.t, a.t + $six, b.t, b.t + $six)"
    ).foreach { query =>
      val shown = nodes(spark.sql(query)) {
        case node if node.nodeName.startsWith("Muntin") =>
          node.simpleString(100) + node.verboseStringWithOperatorId()
      }.mkString("\n")
      assert(shown.nonEmpty, query)
      assert("\\d{8,}".r.findFirstIn(shown).isEmpty, s"$query\n$shown")
    }
  }

  test("EXPLAIN FORMATTED shows what a sort reads") {
    data.createOrReplaceTempView("t")
    def reads(columns: String): Seq[String] = {
      val frame = spark.sql(s"SELECT $columns FROM t")
      nodes(frame) { case s: MuntinSortExec => s.verboseStringWithOperatorId() }
        .map(_.linesIterator.filter(_.startsWith("Reads:")).mkString)
    }
    assert(reads(s"k, t, x, $sliding") === Seq("Reads: stripes"))
    // A sort part by part reads the rows of the sort below, and an expression is computed by row.
    assert(reads(s"k, t, x, $sliding, rank() OVER (PARTITION BY k ORDER BY x)").sorted ===
      Seq("Reads: rows", "Reads: stripes"))
    withConf("spark.muntin.exchange.enabled" -> "false") {
      assert(reads(s"k, t, x, $sliding") === Seq("Reads: rows"))
    }
  }

  test("the metrics have values") {
    data.createOrReplaceTempView("t")
    val frame = spark.sql(s"SELECT k, t, x, $sliding FROM t")
    assert(frame.collect().length === 100)
    val metrics = muntinNodes(frame).head.metrics
    assert(metrics.keySet === Set("numOutputRows", "duration", "spillSize", "peakMemory"))
    assert(metrics("duration").value > 0)
    assert(metrics("numOutputRows").value === 100)
    assert(metrics("spillSize").value === 0)
    assert(metrics("peakMemory").value > 0)
    val sort = nodes(frame) { case s: MuntinSortExec => s }.head
    assert(sort.metrics("numOutputRows").value === 100)
  }

  test("a Spark Window without functions is not in the plan") {
    spark.sql("CREATE OR REPLACE TEMP VIEW outer_rows AS SELECT * FROM VALUES (1), (2) x(x1)"): Unit
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW inner_rows AS SELECT * FROM VALUES (1, 1), (1, 2), (2, 4) y(y1, y2)"
    ): Unit
    Seq(
      "SELECT x1, (SELECT max(r) FROM (SELECT sum(y2) OVER (ORDER BY y2 ROWS 1 PRECEDING) r " +
        "FROM inner_rows WHERE y1 = x1)) FROM outer_rows" -> 1,
      "SELECT x1, r, n FROM outer_rows, LATERAL (SELECT row_number() OVER (ORDER BY y2) r, " +
        "count(NULL) OVER (ORDER BY y2) n FROM inner_rows WHERE y1 = x1)" -> 1,
      "SELECT count(NULL) OVER () FROM inner_rows" -> 0,
      "SELECT y1, count(NULL) OVER (PARTITION BY y1) + 1, sum(y2) OVER (PARTITION BY y1) FROM inner_rows" -> 1
    ).foreach { case (query, ours) =>
      val stock =
        withMuntin(enabled = false)(spark.sql(query).collect().map(_.toString).sorted.toSeq)
      val frame = spark.sql(query)
      assert(sparkNodes(frame).isEmpty && muntinNodes(frame).size === ours, query)
      assert(frame.collect().map(_.toString).sorted.toSeq === stock, query)
    }
  }
}

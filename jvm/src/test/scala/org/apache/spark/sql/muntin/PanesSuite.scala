package org.apache.spark.sql.muntin

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import org.apache.spark.{TaskContext, TaskContextImpl}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.classic
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec

/** Aggregation by pane before the exchange equals aggregation of the rows. */
class PanesSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "values", rows = 400, seed = 8)
    spark.sql(
      "CREATE TEMP VIEW t AS SELECT *, pmod(hash(id), 300) - 100 AS at FROM values"
    ): Unit
    // In several partitions, so that several tasks have rows of a pane.
    spark.table("t").repartition(3).createOrReplaceTempView("parts")
  }

  private def rows(query: String, chunk: Int): (Boolean, Seq[Row]) =
    withConf(MuntinConf.PanesChunkRows.key -> chunk.toString)(rows(spark.sql(query)))

  private def shown(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString("0x", ",", "")
    case row: Row => row.toSeq.map(shown).mkString("[", ", ", "]")
    case other => String.valueOf(other)
  }

  private def rows(frame: DataFrame): (Boolean, Seq[Row]) = {
    val paned = nodes(frame.asInstanceOf[classic.DataFrame]) { case p: PanePartialsExec => p }
    (paned.nonEmpty, frame.collect().toSeq.sortBy(shown))
  }

  private def same(keys: Seq[String], aggregates: Seq[String], window: String): Unit = {
    val query = s"SELECT ${(keys ++ aggregates).mkString(", ")}, $window AS w FROM parts " +
      s"GROUP BY ${(keys :+ window).mkString(", ")}"
    val (paned, expected) = withConf(MuntinConf.PanesEnabled.key -> "false")(rows(query, 1))
    assert(!paned && expected.size > 10, query)
    Seq(7, 1 << 20).foreach { chunk =>
      val (paned, found) = rows(query, chunk)
      assert(paned, query)
      assert(found.map(shown) === expected.map(shown), s"$query, $chunk rows at a time")
    }
  }

  private val windows = Seq(
    "field_window(at, 30, 30)",
    "field_window(at, 30, 7, 3)",
    "field_window(at, 5, 5, -2)",
    "field_window(at, 12, 5, open => 'all')",
    "field_window(at, 6, 1)",
    "sessions(at, 2)",
    "sessions(at, 9)",
    "ticks(timestamp_seconds(at), 'minutely')"
  )

  private val sums =
    Seq("i8", "i64", "d5", "d18", "d38", "f", "x", "wild", "dt", "ym")

  test("if the rows of a pane are near each other, chunks are short") {
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW near AS SELECT id % 7 AS k, id div 100 AS at, id AS v " +
        "FROM range(0, 200000, 1, 2)"
    )
    val query = "SELECT k, field_window, sum(v) FROM near GROUP BY k, field_window(at, 30, 30)"
    val (_, expected) = withConf(MuntinConf.PanesEnabled.key -> "false")(rows(query, 1))
    val made = spark.sql(query)
    assert(made.collect().toSeq.sortBy(shown) === expected)
    val panes = nodes(made) { case p: PanePartialsExec => p }.map(_.metrics("numOutputRows").value)
    assert(panes.nonEmpty)
    // A pane with rows of two tasks, or of two chunks of a task, is emitted twice.
    assert(panes.sum > expected.size + 7 && panes.sum <= expected.size + 7 * 4)
    // The scattered rows of a pane are in one chunk.
    val far = spark.sql(query.replace(
      "FROM near",
      "FROM (SELECT k, pmod(hash(v), 2000) AS at, v FROM near)"
    ))
    val all = far.count()
    far.collect()
    val once = nodes(far) { case p: PanePartialsExec => p }.map(_.metrics("numOutputRows").value)
    assert(once.sum === 2 * all)
  }

  test("counts, sums and averages of every type") {
    val aggregates = Seq("count(*)", "count(x, s)", "count_if(flag)", "count(s)") ++
      sums.flatMap(c => Seq(s"sum($c)", s"avg($c)")) ++ Seq("try_sum(huge)", "try_avg(vast)")
    windows.take(2).foreach(same(Seq("k"), aggregates, _))
  }

  test("every window") {
    for ((window, i) <- windows.zipWithIndex if Repeats.selects(i, 3))
      same(Seq("k"), Seq("count(*)", "sum(x)", "max(i32)"), window)
  }

  test("extremes of every orderable type") {
    // Without zeros of both signs, which compare as equal, so either may be the result.
    val aggregates =
      (sums.filterNot(_ == "wild") ++ Seq("s", "bin", "day", "ts", "ntz", "arr", "st", "flag"))
        .flatMap(c => Seq(s"min($c)", s"max($c)"))
    same(Seq("k"), aggregates, windows(2))
  }

  test("moments, pairs, bits, sketches, FILTER") {
    val aggregates = Seq(
      "var_pop(x)",
      "stddev(y)",
      "skewness(x)",
      "kurtosis(x)",
      "corr(x, y)",
      "covar_samp(x, y)",
      "regr_slope(x, y)",
      "bit_and(i32)",
      "bit_or(i32)",
      "bit_xor(i64)",
      "bool_and(flag)",
      "approx_count_distinct(s)",
      "completeness(x)",
      "sum(x) FILTER (WHERE i32 > 0)",
      "avg(x) FILTER (WHERE flag)",
      "count(*) FILTER (WHERE flag)"
    )
    same(Seq("k"), aggregates, windows(1))
  }

  test("keys: none, several, strings, zeros and NaNs") {
    Seq(Seq.empty, Seq("k", "s"), Seq("wild"), Seq("wildf", "flag"), Seq("st"), Seq("d38", "bin"))
      .zipWithIndex.filter { case (_, i) => Repeats.selects(i, 3) }
      .foreach { case (keys, _) =>
        same(keys, Seq("count(*)", "sum(x)"), "field_window(at, 30, 10)")
      }
  }

  test("functions share the fields of their partials") {
    val frame = spark.sql(
      "SELECT sum(x), avg(x), count(x), min(x), var_pop(x) FROM parts GROUP BY k, field_window(at, 9, 9)"
    )
    val panes = nodes(frame) { case p: PanePartialsExec => p }.head
    // first, last; the count, the sum in its three columns, the sum of squares, the least.
    assert(panes.results.size === 8)
  }

  test("aggregates that depend on the order of rows, or are large, are computed from the rows") {
    Seq(
      "collect_list(i32)",
      "first(i32)",
      "median(i32)",
      "count(DISTINCT i32)",
      "max_by(i32, x)",
      "mode(i32)",
      "min(lc)"
    ).foreach { aggregate =>
      val query = s"SELECT $aggregate, sum(x) FROM parts GROUP BY k, field_window(at, 9, 9)"
      assert(!rows(query, 1)._1, aggregate)
    }
    // Equal values have different bytes.
    assert(!rows("SELECT count(*) FROM parts GROUP BY lc, field_window(at, 9, 9)", 1)._1)
  }

  test("a task that is killed among the rows of a chunk ends soon, another task emits all rows") {
    spark.udf.register("kills", (i: Int) => PanesSuite.kill(i))
    // Spark checks for a kill when it reads, but not when it makes several rows of one.
    val found = spark.sql(
      """SELECT sum(n) FROM (SELECT count(*) AS n, field_window FROM
        |  (SELECT kills(at) AS at, at % 2 AS k FROM (SELECT explode(sequence(1, 200000)) AS at))
        |GROUP BY k, field_window(at, 100, 100))""".stripMargin
    )
    // Generated code would make all rows before it emits the first row.
    val all = withConf("spark.sql.codegen.wholeStage" -> "false")(found.collect().toSeq)
    assert(all === Seq(Row(200000L)))
    assert(PanesSuite.killed.get >= 0L)
    assert(PanesSuite.seenByKilled.get < 20000)
  }
}

object PanesSuite {
  private val killed = new AtomicLong(-1L)
  private val seenByKilled = new AtomicInteger

  /** Kills the first task that reads the row, and counts the rows that the task still reads. */
  private def kill(i: Int): Int = {
    val task = TaskContext.get()
    if (i == 5000 && killed.compareAndSet(-1L, task.taskAttemptId())) {
      task.asInstanceOf[TaskContextImpl].markInterrupted("on purpose")
    }
    if (killed.get == task.taskAttemptId()) seenByKilled.incrementAndGet()
    i
  }
}

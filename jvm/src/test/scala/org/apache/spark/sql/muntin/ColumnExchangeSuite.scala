package org.apache.spark.sql.muntin

import java.nio.file.Files

import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec
import org.apache.spark.sql.execution.exchange.{
  ReusedExchangeExec,
  ShuffleExchangeExec,
  ShuffleExchangeLike
}
import org.apache.spark.sql.execution.metric.SQLShuffleReadMetricsReporter.RECORDS_READ
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.{
  ColumnExchangeExec,
  FilteredColumnsExec,
  ProjectedColumnsExec
}
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.execution.split.{MuntinSampleExec, SplitReadExec}
import org.apache.spark.sql.muntin.spark.UnpackedRows

/**
 * Queries return equal bits whether Muntin's columnar exchange or Spark's exchange moves their
 * rows.
 */
class ColumnExchangeSuite extends MuntinSession {
  private val more = "make_interval(0, 0, 0, id) AS ci, map('a', i32) AS m, " +
    "parse_json('[' || id || ']') AS v, NULL AS nothing, named_struct('t', array(s)) AS deep"

  // Spark reads files in columns only if it generates code for whole stages.
  override protected def settings: Map[String, String] =
    Map(
      MuntinConf.ExchangeEnabled.key -> "true",
      MuntinConf.SortMostGathered.key -> Int.MaxValue.toString,
      "spark.sql.codegen.wholeStage" -> "true"
    )

  private lazy val files = Files.createTempDirectory("muntin-exchange").resolve("t").toString

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 900, seed = 5)
    spark.sql(s"SELECT *, $more FROM t").createOrReplaceTempView("wide")
    spark.table("t").repartition(3).write.parquet(files)
    spark.read.parquet(files).createOrReplaceTempView("parquet_t")
    spark.sql("SELECT * FROM wide").drop("v").createOrReplaceTempView("cached_t")
    spark.sql("CACHE TABLE cached_t"): Unit
  }

  private val windows =
    "sum(x) OVER w AS a, first(s) OVER w AS b, max(d38) OVER w AS c, count(lc) OVER w AS d"

  private def query(from: String, by: String = "PARTITION BY k ORDER BY i32, id"): String =
    s"SELECT *, $windows FROM $from WINDOW w AS ($by ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING)"

  private def exchanges(made: DataFrame): Seq[ColumnExchangeExec] =
    nodes(made) { case e: ColumnExchangeExec => e }

  private def sparks(made: DataFrame): Seq[ShuffleExchangeExec] =
    nodes(made) { case e: ShuffleExchangeExec => e }

  private def bits(made: DataFrame): Seq[String] =
    made.collect().toSeq.map(SplitSession.bits).sorted

  /**
   * Runs the query with Spark's exchange, then with the columnar exchange. The sort copies the rows
   * of some queries, and leaves the rows of all queries in place; returns the latter run.
   */
  private def same(sql: String): DataFrame = {
    val expected = withConf(MuntinConf.ExchangeEnabled.key -> "false") {
      val made = spark.sql(sql)
      val rows = bits(made)
      assert(exchanges(made).isEmpty)
      rows
    }
    if (sql.hashCode % 3 == 0) withConf(MuntinConf.SortMostGathered.key -> "0") {
      assert(bits(spark.sql(sql)) === expected, sql)
    }
    val made = spark.sql(sql)
    assert(bits(made) === expected, sql)
    made
  }

  private val orders = Seq(
    "PARTITION BY k ORDER BY i32, id",
    "PARTITION BY s, flag ORDER BY id",
    "PARTITION BY lc, d38 ORDER BY x DESC, id",
    "PARTITION BY wild, wildf, day ORDER BY ts, id",
    "PARTITION BY st, arr, bin ORDER BY id",
    "PARTITION BY dt, ym, ntz, d5 ORDER BY d18 NULLS LAST, id",
    "PARTITION BY k ORDER BY s, id",
    "PARTITION BY abs(i32), d38 * 2, d5 + 1, -f ORDER BY -id",
    "PARTITION BY i8 + 1, i16 * 2, NOT flag, day + 3, ts - INTERVAL 1 DAY, -ym ORDER BY id",
    "PARTITION BY lower(s) ORDER BY id",
    "PARTITION BY array(k) ORDER BY id",
    "ORDER BY id"
  )

  for (from <- Seq("wide", "parquet_t", "cached_t"); adaptive <- Seq("true", "false"))
    sampledTest(s"rows of $from, by keys of every type, adaptive execution: $adaptive") {
      withConf(
        "spark.sql.adaptive.enabled" -> adaptive,
        "spark.sql.shuffle.partitions" -> "5"
      ) {
        orders.foreach { by =>
          val made = same(query(from, by))
          assert(exchanges(made).size === 1, by)
          assert(sparks(made).isEmpty)
          val inColumns = from == "parquet_t" && !by.contains("array(") && !by.contains("lower(")
          assert(exchanges(made).head.child.supportsColumnar === inColumns, by)
        }
      }
    }

  sampledTest("keys and times in the sort are returned unchanged, for every type, and from disk") {
    val unique = "CAST(id AS INT) AS id32, CAST(id - 400 AS SMALLINT) AS id16, " +
      "date_add(DATE'2000-01-01', CAST(id AS INT) - 400) AS iddt, " +
      "timestamp_seconds(id - 400) AS idts, CAST(id - 400 AS DECIMAL(12, 2)) AS idd, " +
      "CAST(id - 400 AS DOUBLE) AS idx, IF(id = 7, NULL, id) AS some"
    spark.sql(s"SELECT *, $unique FROM t").write.parquet(files + "-unique")
    spark.read.parquet(files + "-unique").createOrReplaceTempView("unique_t")
    val orders = Seq(
      "PARTITION BY k ORDER BY id32 DESC",
      "PARTITION BY i32 ORDER BY iddt",
      "PARTITION BY flag, day ORDER BY idts DESC",
      "PARTITION BY d18, dt ORDER BY idd",
      "PARTITION BY wild, k ORDER BY some",
      "PARTITION BY wild, k ORDER BY some DESC NULLS FIRST",
      "PARTITION BY s ORDER BY id16",
      "PARTITION BY id ORDER BY id",
      "PARTITION BY k ORDER BY idx DESC",
      "PARTITION BY f, i32 ORDER BY id",
      "ORDER BY id32"
    )
    for {
      (rowsInMemory, i) <- Seq(Int.MaxValue, 50).zipWithIndex
      (by, j) <- orders.zipWithIndex
      if Repeats.selects(i + j, 4)
    } withConf(MuntinConf.SortSpillRows.key -> rowsInMemory.toString) {
      assert(exchanges(same(query("unique_t", by))).size === 1, by)
    }
  }

  test("columns of a file reach the exchange unchanged, also with other names and orders") {
    val sql = "SELECT key, sum(y) OVER (PARTITION BY key ORDER BY n) FROM " +
      "(SELECT x AS y, id AS n, k AS key FROM parquet_t)"
    for (adaptive <- Seq("true", "false"))
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        val made = same(sql)
        assert(nodes(made) { case p: ProjectedColumnsExec => p }.size === 1)
        val samples = nodes(made) { case s: MuntinSampleExec => s }
        assert(samples.forall(_.inColumns))
        assert(samples.nonEmpty === (adaptive == "true"))
      }
  }

  test("a columnar projection may contain a subquery") {
    val made = same(query("parquet_t", "PARTITION BY k % (SELECT count(*) FROM t) ORDER BY -x, id"))
    assert(nodes(made) { case p: ProjectedColumnsExec => p }.size === 1)
  }

  sampledTest(
    "rows are filtered in columns: all of a batch, some, none; also structs, arrays and maps"
  ) {
    spark.sql("SELECT *, named_struct('n', i32, 'text', s) AS deep, map('a', i32) AS m FROM t")
      .repartition(3).write.parquet(files + "-deep")
    spark.read.parquet(files + "-deep").createOrReplaceTempView("deep_t")
    val (first, kept) = ("PARTITION BY k ORDER BY id", "id % 3 = 0 AND s IS NOT NULL")
    for {
      adaptive <- Seq("true", "false")
      (from, where) <- Seq(
        "deep_t" -> "id IS NOT NULL",
        "deep_t" -> kept,
        "deep_t" -> "deep.n > 0 OR d38 > 5 OR lower(s) < 'm'",
        "deep_t" -> "id < 0",
        "deep_t" -> "id > (SELECT avg(id) FROM deep_t)",
        "cached_t" -> kept
      )
    } withConf(
      "spark.sql.adaptive.enabled" -> adaptive,
      "spark.sql.optimizer.runtime.bloomFilter.enabled" -> "false"
    ) {
      val made = same(query(s"(SELECT * FROM $from WHERE $where)", first))
      val filters = nodes(made) { case f: FilteredColumnsExec => f }
      val rows = spark.sql(s"SELECT count(*) FROM $from WHERE $where").head().getLong(0)
      // Adaptive execution removes operators over empty inputs.
      if (from == "deep_t" && (rows > 0L || adaptive == "false")) {
        assert(filters.size === 1, where)
        assert(filters.head.metrics("numOutputRows").value === rows)
      }
    }
    val random = spark.sql(query("(SELECT * FROM deep_t WHERE rand(1) < 0.5)", first))
    random.collect(): Unit
    assert(nodes(random) { case f: FilteredColumnsExec => f }.isEmpty)
  }

  test("columns of a cached table reach the exchange unchanged") {
    spark.sql("CACHE TABLE numbers AS SELECT id, k, x, i64, f, flag FROM t")
    for (adaptive <- Seq("true", "false")) withConf("spark.sql.adaptive.enabled" -> adaptive) {
      val made = same("SELECT *, max(i64) OVER (PARTITION BY k, flag ORDER BY id) FROM numbers")
      assert(exchanges(made).head.child.supportsColumnar)
    }
  }

  test("metrics count rows") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      for (partitions <- Seq("3", "210")) withConf("spark.sql.shuffle.partitions" -> partitions) {
        val made = spark.sql(query("parquet_t"))
        made.collect(): Unit
        val metrics = exchanges(made).head.metrics
        assert(metrics("shuffleRecordsWritten").value === 900)
        assert(metrics(RECORDS_READ).value === 900)
        assert(metrics("shuffleBytesWritten").value > 900)
        assert(metrics("dataSize").value > 900)
        assert(metrics("numPartitions").value === partitions.toLong)
      }
    }
  }

  test("adaptive execution coalesces partitions, and has the rows and bytes") {
    withConf("spark.sql.shuffle.partitions" -> "40") {
      val made = same(query("parquet_t"))
      val reads = nodes(made) { case r: AQEShuffleReadExec => r }
      assert(reads.size === 1 && reads.head.partitionSpecs.size < 40)
      val statistics = exchanges(made).head.runtimeStatistics
      assert(statistics.rowCount === Some(BigInt(900)))
      assert(statistics.sizeInBytes > 900)
    }
  }

  sampledTest("many partitions, no rows, rows of no columns") {
    withConf("spark.sql.shuffle.partitions" -> "250", "spark.sql.adaptive.enabled" -> "false") {
      same(query("wide", "PARTITION BY id ORDER BY i8")): Unit
    }
    for (adaptive <- Seq("true", "false")) withConf("spark.sql.adaptive.enabled" -> adaptive) {
      same(query("(SELECT * FROM parquet_t WHERE id < 0)")): Unit
      same("SELECT count(*) OVER () FROM parquet_t"): Unit
      same("SELECT count(*) OVER () FROM t WHERE id < 3"): Unit
    }
  }

  /** Returns the exchanges by keys, each once. */
  private def byKeys(made: DataFrame): Seq[SparkPlan] = nodes(made) {
    case e: ShuffleExchangeLike if e.outputPartitioning.isInstanceOf[HashPartitioning] => e
  }

  private val (ours, own) = ("sum(i64)", "sparks_own(i64)")

  test("an exchange that Spark's operator also reads runs once, in both orders") {
    def shared(a: String, b: String, order: String = "id") = "SELECT a.id, a.r, b.n FROM " +
      s"(SELECT id, k, $a OVER (PARTITION BY k ORDER BY id) AS r FROM parquet_t) a JOIN " +
      s"(SELECT id, k, $b OVER (PARTITION BY k ORDER BY $order) AS n FROM parquet_t) b " +
      "ON a.id = b.id"
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "1g") {
      for {
        adaptive <- Seq("true", "false")
        query <- Seq(shared(ours, own), shared(own, ours), shared(ours, "max(i64)", "id DESC"))
      } withConf("spark.sql.adaptive.enabled" -> adaptive) {
        val made = same(query)
        assert(byKeys(made).size === 1, made.queryExecution.executedPlan)
        assert(nodes(made) { case r: ReusedExchangeExec => r }.size === 1)
      }
    }
  }

  sampledTest("an exchange that a subquery also reads runs once") {
    def query(main: String, sub: String, from: String) =
      s"SELECT * FROM (SELECT *, $main OVER (PARTITION BY k ORDER BY id) AS r FROM $from) " +
        "WHERE r <> (SELECT max(struct(n, id, k, i64)).n FROM " +
        s"(SELECT *, $sub OVER (PARTITION BY k ORDER BY id) AS n FROM $from))"
    for {
      adaptive <- Seq("true", "false")
      i64 <- Seq("i64", "-i64 AS i64")
      from = s"(SELECT id, k, $i64 FROM parquet_t)"
      (main, sub) <- Seq(ours -> own, own -> ours)
    } withConf("spark.sql.adaptive.enabled" -> adaptive) {
      val sql = query(main, sub, from)
      withConf(MuntinConf.ExchangeEnabled.key -> "false") {
        val sparks = spark.sql(sql)
        sparks.collect(): Unit
        assert(byKeys(sparks).size === 1, sql)
      }
      val made = same(sql)
      assert(byKeys(made).size === 1, made.queryExecution.executedPlan)
    }
  }

  test("a skewed join of Spark with small partitions, over the same exchange") {
    spark.sql("SELECT id, if(id % 10 > 0, 1, id) AS k, i64 FROM parquet_t")
      .createOrReplaceTempView("skewed")
    withConf(
      "spark.sql.adaptive.enabled" -> "true",
      "spark.sql.shuffle.partitions" -> "20",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes" -> "1k",
      "spark.sql.adaptive.advisoryPartitionSizeInBytes" -> "2k",
      "spark.sql.adaptive.coalescePartitions.minPartitionSize" -> "1",
      MuntinConf.SplitEnabled.key -> "false"
    ) {
      val made = same(
        "SELECT * FROM (SELECT a.id, a.k, b.i64 FROM skewed a " +
          "JOIN (SELECT k, i64 FROM skewed WHERE id < 60) b ON a.k = b.k) JOIN " +
          "(SELECT id, k, sum(i64) OVER (PARTITION BY k ORDER BY id) AS r FROM skewed) USING (id)"
      )
      assert(exchanges(made).nonEmpty)
      val reads = nodes(made) { case r: AQEShuffleReadExec => r }
      assert(reads.exists(_.hasCoalescedPartition), reads)
      assert(reads.exists(_.hasSkewedPartition), made.queryExecution.executedPlan)
    }
  }

  sampledTest("chunks of a large key arrive in stripes after any exchange") {
    for {
      (order, i) <- orders.zipWithIndex
      sql = query("wide", order)
      unsplit = withConf(MuntinConf.SplitEnabled.key -> "false")(bits(spark.sql(sql)))
      isExchanged = i % 2 == 1
      inColumns <- Seq(true, false)
    } withConf(
      MuntinConf.SplitEnabled.key -> "true",
      MuntinConf.ExchangeEnabled.key -> inColumns.toString,
      MuntinConf.SortMostGathered.key -> (if (i % 3 == 0) "0" else Int.MaxValue.toString),
      "spark.muntin.split.forceChunks" -> "3",
      "spark.muntin.split.forceExchange" -> isExchanged.toString
    ) {
      val made = spark.sql(sql)
      assert(bits(made) === unsplit, order)
      assert(exchanges(made).nonEmpty === inColumns)
      val reads = nodes(made) { case r: SplitReadExec => r }
      assert(reads.nonEmpty, order)
      assert(reads.map(_.metrics.contains("numExchanged")).contains(true) === isExchanged)
      reads.foreach(read => assert(read.execute().isInstanceOf[UnpackedRows[_]], order))
    }
  }

  test("an exchange that a query requests stays Spark's") {
    val made = spark.table("parquet_t").repartition(4, spark.table("parquet_t")("k"))
      .selectExpr("id", "sum(id) OVER (PARTITION BY k ORDER BY id) AS r")
    made.collect(): Unit
    assert(exchanges(made).isEmpty)
    assert(sparks(made).size === 1)
  }

  test("windows of groups and both sides of window_by") {
    val groups = same(
      "SELECT k, field_window, sum(x) FROM parquet_t GROUP BY k, field_window(id, 30, 30)"
    )
    assert(exchanges(groups).size === 1)
    val around = same(
      "SELECT * FROM window_by(TABLE(SELECT k, i32, id AS j FROM parquet_t), " +
        "TABLE(SELECT k AS k, id AS at FROM parquet_t), " +
        "'count(*) AS n', 'j', 'at - 3', 'at', on => 'k')"
    )
    assert(exchanges(around).size === 2)
  }

  sampledTest("both sides of joins by time and of intervals") {
    val (left, right) =
      ("(SELECT id, k, i32, s FROM parquet_t)", "(SELECT i32, k, x FROM cached_t)")
    for {
      adaptive <- Seq("true", "false")
      (join, on) <- Seq(
        "LEFT" -> "asof(l.i32, r.i32)",
        "INNER" -> "asof(l.i32, r.i32, direction => 'nearest')",
        "FULL" -> "overlaps(l.i32, l.i32 + 3, r.i32, r.i32 + 5)",
        "LEFT" -> "overlaps(l.i32, l.i32 + 3, r.i32, r.i32 + 5)"
      )
    } withConf(
      "spark.sql.adaptive.enabled" -> adaptive,
      "spark.sql.shuffle.partitions" -> "5",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1"
    ) {
      val sql = s"SELECT l.id, l.s, r.x FROM $left l $join JOIN $right r ON l.k = r.k AND $on"
      val made = same(sql)
      assert(exchanges(made).size === 2, sql)
      assert(sparks(made).isEmpty)
    }
    // An exchange that the query requests remains, and the other exchange uses the same numbers.
    spark.table("parquet_t").repartition(5, spark.table("parquet_t")("k"))
      .createOrReplaceTempView("by_k")
    withConf("spark.sql.shuffle.partitions" -> "5") {
      val made = same(
        s"SELECT l.id, r.x FROM by_k l JOIN $right r ON l.k = r.k AND asof(l.i32, r.i32)"
      )
      assert(exchanges(made).size === 1 && sparks(made).size === 1)
    }
  }

  test("a sort on disk, in stripes") {
    for (rows <- Seq(37, 300)) withConf(MuntinConf.SortSpillRows.key -> rows.toString) {
      val made = same(query("parquet_t"))
      assert(nodes(made) { case s: MuntinSortExec => s.metrics("spillSize").value }.sum > 0)
    }
  }

  private val frames = Seq(
    "ORDER BY id ROWS BETWEEN 5 PRECEDING AND CURRENT ROW",
    "ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 300 FOLLOWING",
    "ORDER BY i32 RANGE BETWEEN 3 PRECEDING AND CURRENT ROW"
  )

  sampledTest("results are written to the rows of the sort, next to columns of every type") {
    val few = Seq("count(*)", "max(flag)", "min(i8)", "max(i16)", "sum(i32)", "max(f)", "avg(x)") ++
      Seq("min(day)", "max(ts)", "max(d5)", "sum(d5)")
    // More fields than the bits of one word.
    val many = (1 to 60).map(n => s"max(IF(id % $n = 0, i32, NULL))")
    for {
      functions <- Seq(few, many)
      frame <- frames
      rowsInMemory <- Seq(Int.MaxValue, 50)
    } withConf(MuntinConf.SortSpillRows.key -> rowsInMemory.toString) {
      val named = "row_number() OVER (PARTITION BY k ORDER BY id) AS n" +:
        functions.zipWithIndex.map { case (f, i) => s"$f OVER w AS r$i" }
      same(s"SELECT *, ${named.mkString(", ")} FROM wide WINDOW w AS (PARTITION BY k $frame)")
    }
  }

  test("a sort reserves fields for results, also if some rows are on disk") {
    for {
      spillRows <- Seq(Int.MaxValue, 37)
      inStripes <- Seq(true, false)
      mostGathered <- Seq(Int.MaxValue, 0)
    } withConf(
      MuntinConf.SortSpillRows.key -> spillRows.toString,
      MuntinConf.ExchangeEnabled.key -> inStripes.toString,
      MuntinConf.SortMostGathered.key -> mostGathered.toString,
      "spark.sql.adaptive.enabled" -> "false"
    ) {
      val made = spark.sql(query("parquet_t"))
      val sort = nodes(made) { case s: MuntinSortExec => s }.head
      assert(sort.canReserve(3))
      val fields = sort.reserveFields(3).map(_.numFields).collect().toSet
      assert(fields === Set(sort.output.size + 3))
    }
  }

  test("the setting turns the exchange off") {
    withConf(MuntinConf.ExchangeEnabled.key -> "false") {
      val made = spark.sql(query("parquet_t"))
      made.collect(): Unit
      assert(exchanges(made).isEmpty)
      assert(sparks(made).size === 1)
    }
  }
}

package org.apache.spark.sql.muntin

import java.nio.file.Files

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.util.{Random, Try}

import io.muntin.kernel.Cases
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.muntin.plans.refresh.RefreshEstimate

/** Tables of results that are refreshed after new files since their stored position. */
final class RefreshSinceSuite extends RefreshedTables {
  override protected def results: String = "since_results"

  override protected def settings: Map[String, String] =
    super.settings ++ Map("spark.sql.shuffle.partitions" -> "2")

  private val sums =
    """SELECT k, n, i, sum(x) OVER (PARTITION BY k ORDER BY n RANGE 20 PRECEDING) AS s,
      |  n DIV 100 AS p FROM since_src""".stripMargin

  /** The rows from `from` on of all rows, whose times are random. */
  private def rows(from: Int, count: Int, random: Random): String =
    Seq.tabulate(count) { i =>
      s"('k${random.nextInt(3)}', ${random.nextInt(1000)}, ${from + i}, ${random.nextInt(99)}.5D)"
    }.mkString("SELECT * FROM VALUES ", ", ", " AS rows(k, n, i, x)")

  private def insert(rows: String): Unit = spark.sql(s"INSERT INTO since_src $rows"): Unit

  private def refresh(query: String, arguments: String = ""): Row = {
    spark.sql(query).createOrReplaceTempView("query")
    spark.sql(s"SELECT * FROM refresh(TABLE(query), 'since_results'$arguments)").collect().head
  }

  private def condition(query: String, arguments: String = ""): String =
    intercept[AnalysisException](refresh(query, arguments)).getCondition

  /** Runs `body` with a table of results of `query`, which is empty. */
  private def withTables(query: String = sums, source: String = "parquet")(body: => Unit): Unit = {
    val tables = Seq("since_src", "since_results", "since_dims")
    tables.foreach(t => spark.sql(s"DROP TABLE IF EXISTS $t"))
    try {
      spark.sql(s"CREATE TABLE since_src (k STRING, n INT, i INT, x DOUBLE) USING $source")
      spark.sql("CREATE TABLE since_dims USING parquet AS SELECT 'k1' AS k, 'one' AS name")
      spark.sql(query).write.partitionBy("p").format("parquet").saveAsTable("since_results")
      body
    } finally tables.foreach(t => spark.sql(s"DROP TABLE IF EXISTS $t"): Unit)
  }

  for (source <- Seq("parquet", "orc", "parquet PARTITIONED BY (k)"))
    test(s"new files of $source, again and again") {
      withTables(source = source) {
        val random = new Random(7L)
        def more(i: Int, count: Int) = insert(rows(i, count, random).replace(
          "SELECT *",
          "SELECT " +
            (if (source.contains("BY")) "n, i, x, k" else "*")
        ))
        more(0, 300)
        // Nothing is stored: all results.
        assert(refresh(sums) === Row(null, null, null, 0L, 300L, true, "no stored position"))
        checkRefreshed(sums)
        for (round <- 1 to (if (Cases.isGate) 2 else 10)) {
          more(1000 * round, 5)
          val dry = refresh(sums, ", dry_run => true, full => false")
          val done = refresh(sums, ", full => false")
          assert(dry === done && !done.getBoolean(5) && done.getLong(4) < 150L)
          checkRefreshed(sums)
        }
        assert(refresh(sums) === Row(0L, 0L, 0L, 0L, 0L, false, null))
        ()
      }
    }

  test("a query without keys requires full => true") {
    val query = sums.replace("PARTITION BY k ", "")
    withTables(query) {
      insert("SELECT 'k1', 10, 0, 1.0D")
      assert(condition(query) === "MUNTIN_REFRESH_WITHOUT_KEYS")
      assert(refresh(query, ", full => true").getString(6) === "requested")
      checkRefreshed(query)
      insert("SELECT 'k2', 10, 0, 1.0D")
      assert(condition(query) === "MUNTIN_REFRESH_WITHOUT_KEYS")
      ()
    }
  }

  test("affected lists the results that the next refresh replaces, and changes nothing") {
    withTables() {
      def affected: Seq[Row] = {
        spark.sql(sums).createOrReplaceTempView("query")
        spark.sql("SELECT * FROM affected(TABLE(query), 'since_results')").collect().toSeq
      }
      insert("SELECT 'k1', 10, 0, 1.0D UNION ALL SELECT 'k2', 500, 1, 1.0D")
      assert(intercept[AnalysisException](affected).getCondition ===
        "MUNTIN_REFRESH_WITHOUT_POSITION")
      refresh(sums): Unit
      assert(affected === Nil)
      insert("SELECT 'k2', 7, 2, 1.0D UNION ALL SELECT 'k2', 20, 3, 1.0D UNION ALL " +
        "SELECT NULL, 900, 4, 1.0D")
      assert(affected.sortBy(_.getString(1)) === Seq(
        Row(Map("k" -> "k2"), "7", "40"),
        Row(Map("k" -> null), "900", "920")
      ))
      assert(spark.table("since_results").count() === 2)
      assert(refresh(sums, ", full => false").getLong(1) === 2)
      assert(affected === Nil)
      checkRefreshed(sums)
    }
  }

  test("a view of SQL") {
    withTables() {
      val random = new Random(17L)
      insert(rows(0, 100, random))
      spark.sql(s"CREATE OR REPLACE TEMP VIEW since_view AS $sums")
      def refreshed() = spark.sql(
        "SELECT * FROM refresh(TABLE(since_view), 'since_results', full => false)"
      ).collect().head
      spark.sql("SELECT * FROM refresh(TABLE(since_view), 'since_results')").collect(): Unit
      insert(rows(100, 2, random))
      assert(refreshed().getLong(4) < 100L)
      checkRefreshed(sums)
    }
  }

  test("small tables, and on request: all results") {
    withTables() {
      val random = new Random(8L)
      insert(rows(0, 100, random))
      refresh(sums): Unit
      insert(rows(100, 100, random))
      assert(refresh(sums).getBoolean(5))
      checkRefreshed(sums)
      assert(refresh(sums, ", full => true").getBoolean(5))
      checkRefreshed(sums)
    }
  }

  test("the reason why more is computed") {
    withTables() {
      insert(rows(0, 50, new Random(23L)))
      def over(window: String) = s"SELECT k, n, i, $window AS s, n DIV 100 AS p FROM since_src"
      def reason(query: String, arguments: String) =
        refresh(query, s", TABLE(since_src), dry_run => true$arguments").getString(6)
      assert(reason(sums, ", full => false") === null)
      assert(reason(sums, ", full => true") === "requested")
      assert(reason(sums, "") === "estimate")
      val running = "sum(x) OVER (PARTITION BY k ORDER BY n)"
      val descending = "sum(x) OVER (PARTITION BY k ORDER BY n DESC RANGE 3 PRECEDING)"
      val groups =
        "SELECT k, n, max(i) AS i, sum(x) AS s, n DIV 100 AS p FROM since_src GROUP BY k, n"
      val reasons = Seq[(String, String)](
        over("lag(x) OVER (PARTITION BY k ORDER BY n)") -> null,
        over(running) -> running.replace(
          "n)",
          "n ASC NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        ),
        over(descending) -> descending.replace(
          "DESC RANGE 3 PRECEDING",
          "DESC NULLS LAST RANGE BETWEEN 3 PRECEDING AND CURRENT ROW"
        ),
        groups -> "GROUP BY"
      )
      for ((query, wanted) <- reasons) assert(reason(query, ", full => false") === wanted, query)
    }
  }

  test("an estimate decides whether all results are computed") {
    def isWhole(read: Long, rewritten: Double, stretches: Long = 1000): Boolean =
      RefreshEstimate(50000000L, read, rewritten, stretches).isWholeCheaper
    assert(!isWhole(100000, 0.03) && !isWhole(0, 1.0) && !isWhole(20000000, 0.5))
    assert(isWhole(30000000, 1.0) && isWhole(1000000, 0.1, 5000000))
    assert(RefreshEstimate.isLarge(1000L, 11L) && !RefreshEstimate.isLarge(1000L, 10L))
    // A small table.
    assert(RefreshEstimate.isSmall(3000000L) && !RefreshEstimate.isSmall(4000000L))
  }

  test("changes as an argument keep the position") {
    withTables() {
      val random = new Random(9L)
      insert(rows(0, 200, random))
      refresh(sums): Unit
      val late = rows(200, 1, random)
      insert(late)
      refresh(sums, s", TABLE($late), full => false"): Unit
      checkRefreshed(sums)
      // The file is not known yet: its results are replaced by equal results.
      val again = refresh(sums, ", full => false")
      assert(again.getLong(3) > 0 && again.getLong(3) === again.getLong(4))
      checkRefreshed(sums)
    }
  }

  test("changes as an argument after another program: the next refresh fails") {
    withTables() {
      val random = new Random(10L)
      insert(rows(0, 50, random))
      refresh(sums): Unit
      spark.sql("INSERT INTO since_results SELECT * FROM since_results LIMIT 1")
      refresh(sums, ", TABLE(SELECT * FROM since_src LIMIT 0), full => false"): Unit
      assert(condition(sums) === "MUNTIN_REFRESH_TARGET_OVERWRITTEN")
      refresh(sums, ", full => true"): Unit
      checkRefreshed(sums)
    }
  }

  test("a join with a table that does not change, and that changes") {
    val joined = s"SELECT q.*, name FROM ($sums) q LEFT JOIN since_dims USING (k)"
    withTables(joined) {
      val random = new Random(11L)
      insert(rows(0, 100, random))
      refresh(joined): Unit
      insert(rows(100, 2, random))
      assert(!refresh(joined, ", full => false").getBoolean(5))
      checkRefreshed(joined)
      spark.sql("INSERT INTO since_dims SELECT 'k2', 'two'")
      // The side of the join that is not preserved.
      assert(condition(joined) === "MUNTIN_REFRESH_OF_WHOLE_TABLE")
      insert(rows(102, 1, random))
      assert(condition(joined) === "MUNTIN_REFRESH_OF_SEVERAL_TABLES")
      refresh(joined, ", full => true"): Unit
      checkRefreshed(joined)
    }
  }

  test("a subquery over a table that does not change, and that changes") {
    val filtered =
      sums.replace("FROM since_src", "FROM since_src WHERE k <> (SELECT max(k) FROM since_dims)")
    withTables(filtered) {
      val random = new Random(12L)
      insert(rows(0, 100, random))
      refresh(filtered): Unit
      insert(rows(100, 2, random))
      refresh(filtered, ", full => false"): Unit
      checkRefreshed(filtered)
      spark.sql("INSERT INTO since_dims SELECT 'k2', 'two'")
      assert(condition(filtered) === "MUNTIN_REFRESH_OF_WHOLE_TABLE")
      refresh(filtered, ", full => true"): Unit
      checkRefreshed(filtered)
    }
  }

  test("other queries and parameters are other queries") {
    val days = "SELECT k, tumble.start AS n, sum(i) AS i, sum(x) AS s, " +
      "CAST(tumble.start AS INT) DIV 100 AS p FROM since_src GROUP BY k, tumble(n, 10)"
    withTables(days) {
      insert(rows(0, 50, new Random(13L)))
      refresh(days): Unit
      refresh(days): Unit
      for (
        other <- Seq(
          days.replace("10)", "20)"),
          days.replace("sum(x)", "max(x)"),
          days.replace("FROM since_src", "FROM since_src WHERE n > 3")
        )
      )
        assert(condition(other) === "MUNTIN_REFRESH_OF_OTHER_QUERY", other)
      ()
    }
  }

  test("views are the changed rows if their columns fit") {
    withTables() {
      insert(rows(0, 100, new Random(14L)))
      spark.sql(
        "SELECT k, n + 100 AS n, i, x, x > 5 AS big FROM since_src"
      ).createOrReplaceTempView("v")
      val query = sums.replace("FROM since_src", "FROM v")
      refresh(query): Unit
      val late = "SELECT 'k1' AS k, 50 AS n, 900 AS i, 2.5D AS x"
      insert(late)
      val ofView = s"SELECT k, n + 100 AS n, i, x, x > 5 AS big FROM ($late)"
      refresh(query, s", TABLE($ofView), full => false"): Unit
      checkRefreshed(query)
      insert(late.replace("900", "901"))
      refresh(query, s", TABLE($late), full => false"): Unit
      checkRefreshed(query)
      // The rows could be meant as rows of the table or of the view.
      spark.sql("SELECT k, n + 100 AS n, i, x FROM since_src").createOrReplaceTempView("v")
      assert(condition(query, s", TABLE($late), full => false") === "MUNTIN_REFRESH_SOURCE")
      refresh(query, s", TABLE($late), 'since_src', full => false"): Unit
      checkRefreshed(query)
    }
  }

  test("a table of results that its query reads, by its path") {
    withTables() {
      val place = Tables.location(spark, results)
      insert(rows(0, 20, new Random(15L)))
      refresh(sums): Unit
      val folder = Files.list(place)
        .filter(_.getFileName.toString.startsWith("p=")).findFirst.get
      for (path <- Seq(place, folder)) {
        val own = "SELECT k, n, i, sum(s) OVER (PARTITION BY k ORDER BY n) AS s, n DIV 100 AS p " +
          s"FROM parquet.`$path`"
        assert(condition(own) === "MUNTIN_REFRESH_OF_OWN_TARGET")
        ()
      }
    }
  }

  test("two refreshes at once: each replaces its results as a whole, or fails") {
    withTables() {
      val random = new Random(16L)
      insert(rows(0, 300, random))
      refresh(sums): Unit
      for (round <- 1 to (if (Cases.isGate) 2 else 20)) {
        insert(rows(1000 * round, 4, random))
        spark.sql(sums).createOrReplaceTempView("query")
        val both = Seq.fill(2)(Future(Try(
          spark.sql("SELECT * FROM refresh(TABLE(query), 'since_results', full => false)").collect()
        )))
        val outcomes = both.map(Await.result(_, 2.minutes))
        assert(outcomes.exists(_.isSuccess), outcomes)
        refresh(sums, ", full => false"): Unit
        checkRefreshed(sums)
      }
    }
  }
}

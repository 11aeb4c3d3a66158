package org.apache.spark.sql.muntin

/**
 * Percentiles in the frames in which stock Spark also computes them: equal results, bit for bit.
 */
class RankStatisticsSuite extends MuntinSession {
  import RankStatisticsSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 70, seed = 17)
    RandomTable.create(spark, "two", rows = 2, seed = 18)
    RandomTable.create(spark, "none", rows = 0, seed = 19)
  }

  private def check(items: Seq[String], window: String, tables: Seq[String] = Seq("t")): Unit =
    tables.foreach { table =>
      val named = items.zipWithIndex.map { case (e, i) => s"$e OVER ($window) AS r$i" }
      checkSame(s"SELECT id, ${named.mkString(", ")} FROM $table"): Unit
    }

  frames.foreach { frame =>
    sampledTest(s"percentile and percentile_approx over every type, $frame", most = 3) {
      check(exact.map(v => s"percentile($v, 0.37)"), frame, Seq("t", "two", "none"))
      check(exact.map(v => s"percentile($v, array(0.5, 0, 0.25D, 1))"), frame)
      check(approximate.map(v => s"percentile_approx($v, 0.37)"), frame, Seq("t", "two", "none"))
      check(approximate.map(v => s"approx_percentile($v, array(0.5, 0.002, 0.8), 500)"), frame)
    }
  }

  test("with a FILTER, a frequency of 1, an expression for the value") {
    frames.foreach { frame =>
      check(
        Seq(
          "percentile(x, 0.5) FILTER (WHERE i32 > 0)",
          "percentile_approx(y, 0.5) FILTER (WHERE flag)",
          "percentile(y, 0.5, 1)",
          "percentile(i32 * y, array(0.1, 0.9), 1L)",
          "percentile(x, array())",
          "percentile(NULL, 0.5)",
          "percentile_approx(i8, 0.75, 1)"
        ),
        frame
      )
    }
  }

  sampledTest("percentile, percentile_cont, percentile_disc and median of whole partitions") {
    Seq("PARTITION BY k", "").foreach { window =>
      Seq(true, false).foreach { legacy =>
        withConf("spark.sql.legacy.percentileDiscCalculation" -> legacy.toString) {
          check(
            exact.flatMap { v =>
              Seq(
                s"median($v)",
                s"percentile_cont(0.3) WITHIN GROUP (ORDER BY $v)",
                s"percentile_cont(array(0.3, 0.6)) WITHIN GROUP (ORDER BY $v DESC)",
                s"percentile_disc(0.3) WITHIN GROUP (ORDER BY $v)",
                s"percentile_disc(array(0.3, 0.6)) WITHIN GROUP (ORDER BY $v DESC)"
              )
            },
            window
          )
        }
      }
    }
  }

  test("percentages out of range, and types without an order, raise Spark's errors") {
    Seq(
      "percentile(x, 1.5)",
      "percentile(x, array(0.5, -0.1))",
      "percentile(x, NULL)",
      "percentile(x, y)",
      "percentile(arr, 0.5)",
      "percentile_approx(x, 0.5, 0)",
      "percentile_approx(s, array(2))"
    ).foreach { function =>
      val query = s"SELECT $function OVER (PARTITION BY k ORDER BY id) FROM t"
      assert(checkSame(query).isInstanceOf[Outcome.Failed], query)
    }
  }

  test("functions that rank one expression share the ranks, and EXPLAIN names them") {
    val made = spark.sql("SELECT percentile(x, 0.5) OVER w, percentile_approx(x, 0.9) OVER w" +
      " FROM t WINDOW w AS (PARTITION BY k ORDER BY id ROWS 9 PRECEDING)")
    val text = made.queryExecution.explainString(
      org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    )
    assert("sorted blocks".r.findAllIn(text).size === 2, text)
    assert("Frame: ".r.findAllIn(text).size === 1, text)
  }
}

object RankStatisticsSuite {
  private val frames: Seq[String] = Seq(
    "PARTITION BY k ORDER BY id ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING",
    "PARTITION BY k ORDER BY id ROWS 9 PRECEDING",
    "PARTITION BY k ORDER BY id ROWS UNBOUNDED PRECEDING",
    "PARTITION BY k ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY id ROWS BETWEEN 3 FOLLOWING AND 40 FOLLOWING",
    "PARTITION BY k ORDER BY i32 RANGE BETWEEN 3 PRECEDING AND 4 FOLLOWING",
    "PARTITION BY k ORDER BY day DESC",
    "PARTITION BY k",
    ""
  )

  // If both zeros are among the values, stock Spark's hash table determines which zero is first.
  private val doubles = Seq("x", "y", "f", "nullif(wild, 0D)", "nullif(wildf, 0F)")

  private val others =
    Seq("i8", "i16", "i32", "i64", "huge", "d5", "d18", "d38", "vast", "dt", "ym")

  private val exact: Seq[String] = doubles ++ others

  // The place of NaN in stock Spark's percentile_approx depends on earlier rows.
  private val approximate: Seq[String] =
    doubles.map(v => s"nullif($v, double('NaN'))") ++ others ++ Seq("day", "ts", "ntz")
}

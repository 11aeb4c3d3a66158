package org.apache.spark.sql.muntin

/** approx_count_distinct equals stock Spark's, to the last estimate, in every frame. */
class ApproximateCountsSuite extends MuntinSession {
  import ListsSuite.{frames, select}

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 150, seed = 37)
  }

  private val values = RandomTable.columns.map(_.name)

  frames.foreach { frame =>
    test(s"every type OVER ($frame)") {
      sameRows(select(values.map(v => s"approx_count_distinct($v) OVER w"), frame))
    }

    test(s"precisions, FILTER, nested and constant values OVER ($frame)") {
      sameRows(select(
        Seq("0.39", "0.3", "0.2", "0.1", "0.02", "0.01").map { rsd =>
          s"approx_count_distinct(i64, ${rsd}D) OVER w"
        } ++ Seq(
          "approx_count_distinct(s, 0.39) FILTER (WHERE i32 > 0) OVER w",
          "approx_count_distinct(id) OVER w",
          "approx_count_distinct(1) OVER w",
          "approx_count_distinct(NULL) OVER w",
          "approx_count_distinct(array(x, wild)) OVER w",
          "approx_count_distinct(struct(lc, f)) OVER w",
          "approx_count_distinct(-y) OVER w"
        ) ++ Option.when(RunningSpark.hashesDays)(
          "approx_count_distinct(make_interval(0, 0, 0, i8)) OVER w"
        ),
        frame
      ))
    }
  }

  test("no row, and one row") {
    sameRows("SELECT approx_count_distinct(id) OVER (ORDER BY id) AS r FROM range(0)")
    sameRows(
      "SELECT approx_count_distinct(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)" +
        " AS r FROM range(1)"
    )
  }

  // From linear counting through the bias-corrected range to the raw estimate.
  Seq("0.39D" -> 300, "0.1D" -> 1500, "0.05D" -> 3500, "0.015D" -> 5000).foreach {
    case (rsd, width) =>
      sampledTest(s"$width distinct values at $rsd", most = 4) {
        val rows = s"range(${width + 700})"
        // Stock Spark's frames cost their width for each row, so the test compares few rows.
        Seq(
          s"ROWS BETWEEN ${width - 1} PRECEDING AND CURRENT ROW",
          s"ROWS UNBOUNDED PRECEDING"
        ).foreach { frame =>
          sameRows(
            s"SELECT id, approx_count_distinct(id * 7919, $rsd) OVER (ORDER BY id $frame) AS r FROM $rows"
          )
        }
      }
  }

  test("EXPLAIN shows the accumulator") {
    val plan = spark
      .sql(
        "EXPLAIN FORMATTED SELECT approx_count_distinct(s) OVER (ORDER BY id ROWS 9 PRECEDING) FROM t"
      )
      .head()
      .getString(0)
    assert(plan.contains("HyperLogLog, counted ranks"))
  }
}

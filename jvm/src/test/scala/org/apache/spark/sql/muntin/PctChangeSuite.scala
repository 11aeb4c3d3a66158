package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}

/** pct_change(x): the relative change of x, equal to the quotient that stock Spark computes. */
final class PctChangeSuite extends MuntinSession {
  private val frames = Seq(
    "ORDER BY id ROWS 4 PRECEDING",
    "ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
    "ORDER BY id",
    "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  )

  for (kind <- Seq("tinyint", "int", "bigint", "float", "double", "decimal(9,2)"))
    test(s"$kind, in frames and in groups") {
      spark.sql(
        s"""SELECT id, id % 3 AS k, CAST(IF(id % 5 = 0, NULL, id * 7919 % 101 - 50) AS $kind) AS x
           |FROM range(200)""".stripMargin
      ).createOrReplaceTempView("prices")
      def change(first: String, last: String) =
        s"try_divide(double($last - $first), double($first))"
      frames.foreach { frame =>
        val over = s"OVER (PARTITION BY k $frame)"
        val ours = spark.sql(s"SELECT id, pct_change(x) $over AS p FROM prices ORDER BY id")
        val quotient = change(s"first(x, true) $over", s"last(x, true) $over")
        val stock = withMuntin(enabled = false)(
          spark.sql(s"SELECT id, $quotient AS p FROM prices ORDER BY id").collect().toSeq
        )
        assert(ours.collect().toSeq === stock, frame)
      }
      val grouped = spark.sql("SELECT pct_change(x) FROM (SELECT * FROM prices ORDER BY id)")
      val wanted = spark.sql(
        s"SELECT ${change("min_by(x, id)", "max_by(x, id)")} FROM prices WHERE x IS NOT NULL"
      )
      assert(grouped.collect().toSeq === wanted.collect().toSeq)
    }

  test("one value, no value, a first value of zero, and extreme values, also under ANSI") {
    def of(rows: String): Seq[Row] =
      spark.sql(s"SELECT pct_change(x) FROM VALUES $rows AS t(x)").collect().toSeq
    for (ansi <- Seq("false", "true"))
      withConf("spark.sql.ansi.enabled" -> ansi) {
        assert(of("(7)") === Seq(Row(0.0)))
        assert(of("(INT(NULL))") === Seq(Row(null)))
        assert(of("(0), (7)") === Seq(Row(null)))
        assert(of("(0.0D), (7.0D)") === Seq(Row(null)))
        assert(of("(-128Y), (127Y)") === Seq(Row(-255.0 / 128)))
        assert(of(s"(${Long.MinValue + 1}), (${Long.MaxValue})") === Seq(Row(-2.0)))
      }
  }

  test("a time is rejected") {
    assertCondition(
      intercept[AnalysisException](spark.sql("SELECT pct_change(current_timestamp())")),
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "function" -> "pct_change",
      "parameter" -> "x",
      "type" -> "TIMESTAMP"
    )
  }
}

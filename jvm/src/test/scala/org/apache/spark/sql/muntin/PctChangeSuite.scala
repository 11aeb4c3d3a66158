package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}

/** pct_change(x): the relative change of x, equal to the quotient that stock Spark computes. */
final class PctChangeSuite extends FirstToLastSession {
  private val types = Seq("tinyint", "int", "bigint", "float", "double", "decimal(9,2)")

  testChanges("pct_change", types) { (first, last) =>
    s"try_divide(double($last - $first), double($first))"
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

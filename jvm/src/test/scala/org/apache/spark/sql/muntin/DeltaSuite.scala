package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}

/** delta(x): the change of x, equal to stock Spark's last minus first. */
final class DeltaSuite extends FirstToLastSession {
  testChanges("delta", Seq("int", "bigint", "double", "decimal(9,2)")) { (first, last) =>
    s"$last - $first"
  }

  test("the delta of one value is zero; a time is rejected") {
    assert(spark.sql("SELECT delta(x) FROM VALUES (7) AS t(x)").collect().toSeq === Seq(Row(0)))
    assertCondition(
      intercept[AnalysisException](spark.sql("SELECT delta(current_timestamp())")),
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "function" -> "delta",
      "parameter" -> "x",
      "type" -> "TIMESTAMP"
    )
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.{AnalysisException, Row}

/** delta(x): the change of x, equal to stock Spark's last minus first. */
final class DeltaSuite extends MuntinSession {
  private val types = Seq("int", "bigint", "double", "decimal(9,2)")

  for (kind <- types)
    test(s"$kind, in frames and in groups") {
      spark.sql(
        s"""SELECT id, id % 3 AS k, CAST(IF(id % 5 = 0, NULL, id * 7919 % 101 - 50) AS $kind) AS x
           |FROM range(200)""".stripMargin
      ).createOrReplaceTempView("meters")
      Seq(
        "ORDER BY id ROWS 4 PRECEDING",
        "ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
        "ORDER BY id",
        "ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
      ).foreach { frame =>
        val over = s"OVER (PARTITION BY k $frame)"
        val ours = spark.sql(s"SELECT id, delta(x) $over AS d FROM meters ORDER BY id")
        val stock = withMuntin(enabled = false)(spark.sql(
          s"SELECT id, last(x, true) $over - first(x, true) $over AS d FROM meters ORDER BY id"
        ).collect().toSeq)
        assert(ours.collect().toSeq === stock, frame)
      }
      val grouped = spark.sql(
        "SELECT delta(x), delta(x) FILTER (WHERE id > 900) FROM (SELECT * FROM meters ORDER BY id)"
      )
      val wanted = spark.sql("SELECT max_by(x, id) - min_by(x, id) FROM meters WHERE x IS NOT NULL")
      assert(grouped.collect().toSeq === Seq(Row(wanted.head().get(0), null)))
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

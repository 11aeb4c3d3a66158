package org.apache.spark.sql.muntin

import org.apache.spark.SparkRuntimeException
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.sum

/** Errors of SQL queries that the analyzer rejects. */
class RefusalsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .range(6)
      .selectExpr("id % 2 AS k", "id AS x", "timestamp_seconds(id) AS at", "x + 1 AS until")
      .createOrReplaceTempView("t")
  }

  private def refused(sql: String): String =
    intercept[AnalysisException](spark.sql(sql).queryExecution.executedPlan).getMessage

  test("ROLLUP over the results of a window of groups raises Spark's error") {
    val windows = "(SELECT k, field_window, count(*) AS n FROM t GROUP BY k, field_window(x, 2))"
    val sets = spark.sql(s"SELECT k, sum(n) FROM $windows GROUP BY ROLLUP (k)").collect()
    assert(sets.map(_.getLong(1)).toSet === Set(3L, 6L))
  }

  test("window_by requires TABLE(…) around a table, and expressions as strings") {
    val rest = "aggregates => 'count(*) AS n', time => 'x', start => 'x', end => 'until'"
    Seq(
      (s"t, TABLE(t), $rest", "source", "TABLE(t)"),
      (s"source => TABLE(t), anchors => t, $rest", "anchors", "TABLE(t)"),
      ("TABLE(t), TABLE(t), 'count(*) AS n', 'x', x - 1, 'until'", "start", "'(x - 1)'"),
      ("TABLE(t), TABLE(t), sum(x), 'x', 'x', 'until'", "aggregates", "'sum(x)'")
    ).foreach { case (arguments, parameter, expected) =>
      assertCondition(
        intercept[AnalysisException](spark.sql(s"SELECT * FROM window_by($arguments)")),
        "MUNTIN_COLUMN_AS_TABLE_ARGUMENT",
        "parameter" -> parameter,
        "expected" -> expected
      )
    }
  }

  test("an unresolved column in another table function has Spark's error") {
    val message = refused("SELECT * FROM range(nothing)")
    assert(message.contains("UNRESOLVED_COLUMN"))
  }

  test("a second OVER around a Spark function raises Spark's error") {
    val w = Window.partitionBy("k").orderBy("x")
    val error = intercept[AnalysisException](spark.table("t").select(sum("x").over(w).over(w)))
    assert(!error.getMessage.contains("MUNTIN_"))
  }

  test("a setting rejects an invalid value") {
    val key = "spark.muntin.split.partitionFactor"
    assert(
      spark.conf.get(key) === spark.conf.get("spark.sql.adaptive.skewJoin.skewedPartitionFactor")
    )
    Seq("0", "-1").foreach { factor =>
      assertCondition(
        intercept[SparkRuntimeException](spark.conf.set(key, factor)),
        "MUNTIN_INVALID_SETTING",
        "setting" -> key,
        "value" -> factor.toDouble.toString,
        "expected" -> "a number greater than 0"
      )
    }
    spark.conf.set(key, "0.5")
    spark.conf.unset(key)
    assertCondition(
      intercept[SparkRuntimeException](spark.conf.set("spark.muntin.stream.order", "rows")),
      "MUNTIN_INVALID_SETTING",
      "value" -> "rows",
      "expected" -> "'watermark' or 'arrival' or 'group'"
    )
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.sum

/** What is refused in SQL, and that the message says the way to mend it. */
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

  test("ROLLUP over the results of a window of groups is Spark's own") {
    val windows = "(SELECT k, field_window, count(*) AS n FROM t GROUP BY k, field_window(x, 2))"
    val sets = spark.sql(s"SELECT k, sum(n) FROM $windows GROUP BY ROLLUP (k)").collect()
    assert(sets.map(_.getLong(1)).toSet === Set(3L, 6L))
  }

  test("window_by of a table without TABLE, or of an expression that is not a string") {
    val rest = "aggregates => 'count(*) AS n', time => 'x', start => 'x', end => 'until'"
    val source = refused(s"SELECT * FROM window_by(t, TABLE(t), $rest)")
    assert(source.contains("`source`") && source.contains("expected is a table: TABLE(t)"))
    val anchors = refused(s"SELECT * FROM window_by(source => TABLE(t), anchors => t, $rest)")
    assert(anchors.contains("`anchors`") && anchors.contains("TABLE(t)"))
    val start = refused(
      "SELECT * FROM window_by(TABLE(t), TABLE(t), 'count(*) AS n', 'x', x - 1, 'until')"
    )
    assert(start.contains("`start`") && start.contains("expected is a string: '"))
    val aggregates = refused(
      "SELECT * FROM window_by(TABLE(t), TABLE(t), sum(x), 'x', 'x', 'until')"
    )
    assert(aggregates.contains("`aggregates`") && aggregates.contains("'sum(x)'"))
  }

  test("a table function of the user's that has no such column has Spark's own error") {
    val message = refused("SELECT * FROM range(nothing)")
    assert(message.contains("UNRESOLVED_COLUMN"))
  }

  test("windows that are over windows already have Spark's own error where Muntin has no part") {
    val w = Window.partitionBy("k").orderBy("x")
    val message = intercept[AnalysisException](
      spark.table("t").select(sum("x").over(w).over(w))
    ).getMessage
    assert(!message.contains("second OVER"))
  }

  test("a split factor that is not positive") {
    val key = "spark.muntin.split.partitionFactor"
    assert(
      spark.conf.get(key) === spark.conf.get("spark.sql.adaptive.skewJoin.skewedPartitionFactor")
    )
    Seq("0", "-1").foreach { factor =>
      assert(
        intercept[IllegalArgumentException](spark.conf.set(key, factor)).getMessage.contains(factor)
      )
    }
    spark.conf.set(key, "0.5")
    spark.conf.unset(key)
  }
}

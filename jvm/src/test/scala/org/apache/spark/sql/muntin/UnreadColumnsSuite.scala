package org.apache.spark.sql.muntin

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.ProjectExec
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.scalatest.Assertion

/** Columns that are computed only for a window are not emitted: results replace them. */
final class UnreadColumnsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "all_t", rows = 200, seed = 23)
    spark.sql("SELECT id, k, flag, i32, i64, y, s, ts FROM all_t").createOrReplaceTempView("t")
  }

  private def unread(made: DataFrame): Seq[Int] = muntinNodes(made).map(_.unread)

  /**
   * Asserts stock Spark's rows, without a projection above, and equal bytes to Spark's projection.
   */
  private def check(unread: Int*)(query: String): Assertion = {
    sameRows(query): Unit
    val made = spark.sql(query)
    assert(isAsSparks(made), query)
    assert(this.unread(made) === unread, made.queryExecution.executedPlan)
    assert(
      muntinNodes(made).headOption.map(_.output) === Some(made.queryExecution.sparkPlan.output)
    )
  }

  private def isAsSparks(made: DataFrame): Boolean = {
    val types = made.schema.map(_.dataType).toArray
    made.queryExecution.toRdd.mapPartitions { rows =>
      val projection = UnsafeProjection.create(types)
      rows.map { row =>
        val projected = projection(row)
        projected.equals(row) && row.asInstanceOf[UnsafeRow].numFields == types.length
      }
    }.collect().forall(identity)
  }

  private val frames = Seq(
    "ROWS 3 PRECEDING",
    "ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
  )

  for (forced <- Seq("false", "true"); exchange <- Seq("true", "false"))
    sampledTest(
      s"computed keys and orders, spill: $forced, columnar exchange: $exchange",
      most = 3
    ) {
      withConf(
        MuntinConf.OverForceSpill.key -> forced,
        MuntinConf.ExchangeEnabled.key -> exchange
      ) {
        for (frame <- frames) {
          // With null keys and null results.
          check(1)(s"SELECT *, sum(i32) OVER (PARTITION BY k + 1 ORDER BY id $frame) AS a FROM t")
          check(1)(
            "SELECT *, max(if(id % 2 = 0, y, NULL)) OVER w AS a, count(i64) OVER w AS b FROM t " +
              s"WINDOW w AS (PARTITION BY k ORDER BY unix_micros(ts), id $frame)"
                .replace(", id RANGE", " RANGE")
          )
          check(2)(
            "SELECT *, min(i64) OVER w AS a, count(y) OVER w AS b, max(ts) OVER w AS c FROM t " +
              s"WINDOW w AS (PARTITION BY k + 1 ORDER BY -id $frame)"
          )
        }
      }
    }

  test(
    "results in expressions, or of any size; helpers of any size, or more helpers than results"
  ) {
    val w = "(PARTITION BY k + 1 ORDER BY id ROWS 3 PRECEDING)"
    check(1)(s"SELECT *, max(s) OVER $w AS a FROM t")
    check(1)(s"SELECT *, max(s) OVER $w AS a, sum(y) OVER $w AS b FROM t")
    check(1)("SELECT *, count(y) OVER (PARTITION BY upper(s) ORDER BY id) AS a FROM t")
    check(2)("SELECT *, count(y) OVER (PARTITION BY k + 1 ORDER BY -id) AS a FROM t")
  }

  sampledTest("as many fields as the bits of words, and one more", most = 2) {
    for (some <- 54 to 58) {
      val results = (1 to some).map(n => s"max(if(id % $n = 0, i32, NULL)) OVER w AS a$n")
      val named = results.mkString(", ")
      check(1)(s"SELECT *, $named FROM t WINDOW w AS (PARTITION BY k + 1 ORDER BY id)")
    }
  }

  test("windows above read the emitted columns") {
    val below = "SELECT *, sum(i32) OVER (PARTITION BY k + 1 ORDER BY id) AS a FROM t"
    check(0, 1)(s"SELECT *, max(a) OVER (PARTITION BY k ORDER BY a, id) AS b FROM ($below)")
    check(1, 0)(s"SELECT *, max(a) OVER (PARTITION BY k + 2 ORDER BY id) AS b FROM ($below)")
    sameRows(s"SELECT *, max(a) OVER (PARTITION BY k + 1 ORDER BY id) AS b FROM ($below)"): Unit
    sameRows(s"SELECT k + 1, count(*), sum(a) FROM ($below) GROUP BY k + 1"): Unit
    sameRows(s"SELECT l.id, l.a, r.a FROM ($below) l JOIN ($below) r ON l.k + 1 = r.k + 1"): Unit
  }

  test("a column with readers is emitted, and columns in another order are projected") {
    val w = "(PARTITION BY part ORDER BY id) AS a"
    val below = "(SELECT *, k + 1 AS part FROM t)"
    for (columns <- Seq("*", "a, id", "id, k, a", "part, a")) {
      val query = s"SELECT $columns FROM (SELECT *, sum(i32) OVER $w FROM $below)"
      sameRows(query): Unit
      assert(unread(spark.sql(query)) === Seq(0), columns)
    }
    val projected = spark.sql("SELECT a, id FROM " +
      "(SELECT *, sum(i32) OVER (PARTITION BY k + 1 ORDER BY id) AS a FROM t)")
    assert(nodes(projected) { case p: ProjectExec => p }.nonEmpty)
  }

  test("EXPLAIN shows the columns that are not emitted") {
    val made =
      spark.sql("SELECT *, sum(i32) OVER (PARTITION BY k + 1 ORDER BY id) AS a FROM t")
    assert(muntinNodes(made).head.simpleString(20).contains("without _w0"))
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.functions.{col, expr}
import org.scalatest.Assertion

/** An error next to a window that stock Spark rejects is reported, and not the window. */
class UncoveredMistakesSuite extends MuntinSession {
  private val windows = Seq(
    "count(DISTINCT id) OVER ()",
    "sum(DISTINCT id) OVER (ORDER BY id)",
    "count(DISTINCT id, s) FILTER (WHERE id > 0) OVER (ORDER BY id ROWS 1 PRECEDING)",
    "collect_list(DISTINCT s) OVER (PARTITION BY id)",
    "median(id) OVER (ORDER BY id)",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY id) OVER (ORDER BY id)",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY id) OVER (ORDER BY id ROWS 1 PRECEDING)",
    "mode() WITHIN GROUP (ORDER BY id) OVER (ORDER BY id)",
    "sliding(count(DISTINCT id), 2) OVER (ORDER BY id)",
    "framed(median(id), exclude => 'current row') OVER (ORDER BY id)",
    "fill(id, 'last') OVER (ORDER BY id)",
    "nth_value(id, 2) FROM LAST OVER (ORDER BY id)",
    "rank(ORDER BY id) OVER (ORDER BY id ROWS 1 PRECEDING)"
  ) ++ (if (true)
          Seq(
            "listagg(s, ',') WITHIN GROUP (ORDER BY s) OVER (ORDER BY id)",
            "listagg(DISTINCT s) OVER ()"
          )
        else Nil)

  private val mistakes = Seq(
    "nosuch" -> "UNRESOLVED_COLUMN",
    "substring(array(id), 1)" -> "DATATYPE_MISMATCH",
    "max(map(id, s)) OVER ()" -> "DATATYPE_MISMATCH",
    "collect_set(map(id, s)) OVER ()" -> "DATATYPE_MISMATCH",
    "nosuch(id)" -> "UNRESOLVED_ROUTINE"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(3).selectExpr("id", "CAST(id AS STRING) AS s").createOrReplaceTempView("t")
  }

  private def refused(query: => Any, condition: String, what: String): Assertion = {
    val error = intercept[AnalysisException](query)
    assert(error.getCondition.startsWith(condition), s"$what: ${error.getMessage}")
  }

  test("in SQL: next to the window, in one expression with it, over a GROUP BY, in a subquery") {
    for (window <- windows) {
      spark.sql(s"SELECT $window FROM t")
      for ((mistake, condition) <- mistakes) {
        refused(spark.sql(s"SELECT $window, $mistake FROM t"), condition, s"$window, $mistake")
        refused(spark.sql(s"SELECT $mistake, $window FROM t"), condition, s"$mistake, $window")
      }
    }
    refused(spark.sql("SELECT median(id) OVER (ORDER BY id) + nosuch FROM t"), "UNRESOLVED", "+")
    refused(
      spark.sql("SELECT id FROM t ORDER BY count(DISTINCT id) OVER (), nosuch"),
      "UNRESOLVED",
      "ORDER BY"
    )
    refused(
      spark.sql("SELECT id, count(DISTINCT sum(id)) OVER (), nosuch FROM t GROUP BY id"),
      "UNRESOLVED",
      "GROUP BY"
    )
    refused(
      spark.sql("SELECT id FROM t WHERE id IN (SELECT count(DISTINCT id) OVER () + nosuch FROM t)"),
      "UNRESOLVED",
      "IN"
    )
    refused(
      spark.sql(
        "SELECT id FROM t x WHERE EXISTS (SELECT median(id) OVER (ORDER BY id), nosuch FROM t y WHERE y.id = x.id)"
      ),
      "UNRESOLVED",
      "EXISTS"
    )
  }

  test("DataFrames: select and withColumns") {
    val t = spark.table("t")
    for (window <- windows.take(8)) {
      refused(t.select(expr(window), col("nosuch")), "UNRESOLVED_COLUMN", window)
      refused(
        t.withColumns(Map("a" -> expr(window), "b" -> col("nosuch"))),
        "UNRESOLVED_COLUMN",
        window
      )
    }
  }

  test("in a correlated subquery the columns keep their names") {
    val names = spark.sql(
      "SELECT l.* FROM t x, LATERAL (SELECT median(y.id) OVER (ORDER BY y.id), x.id + count(DISTINCT y.id) OVER () FROM t y) l"
    ).columns.toSeq
    assert(names.head.startsWith("median(id) OVER"), names)
  }
}

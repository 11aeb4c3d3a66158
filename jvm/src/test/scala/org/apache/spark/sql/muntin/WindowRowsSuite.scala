package org.apache.spark.sql.muntin

import io.muntin.kernel.MuntinSuite
import org.apache.spark.sql.AnalysisException

class WindowRowsSuite extends MuntinSuite with MuntinSession {
  private val rows =
    "(SELECT id, id % 3 AS k, id % 5 = 0 AS flag, nullif(id, 4) AS x FROM range(12))"

  /** An aggregate in a window, like another aggregate there. */
  private val windows = Seq[(String, String => String)](
    "all rows of the key" -> (f => s"$f OVER (PARTITION BY k)"),
    "ROWS" -> (f => s"$f OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING)"),
    "RANGE" -> (f => s"$f OVER (ORDER BY id RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING)"),
    "FILTER" -> (f => s"$f FILTER (WHERE flag) OVER (ORDER BY id)"),
    "framed" ->
      (f => s"framed($f, exclude => 'current row') OVER (ORDER BY id ROWS 2 PRECEDING)"),
    "sliding" -> (f => s"sliding($f, 2, flag) OVER (PARTITION BY k ORDER BY id)"),
    "since" -> (f => s"since($f, flag) OVER (ORDER BY id)")
  )

  for ((name, in) <- windows)
    test(s"the rows of $name equal collect_list in the same window") {
      def lists(column: String) = spark.sql(s"SELECT id, $column FROM $rows").collect().toSet
      assert(lists(s"window_rows(${in("max(x)")}, x)") === lists(in("collect_list(x)")))
    }

  test("DISTINCT affects the aggregate, not the window") {
    val found = spark.sql(
      s"SELECT window_rows(count(DISTINCT k) OVER (ORDER BY id ROWS 3 PRECEDING), k) FROM $rows"
    )
    assert(found.collect().last.getSeq[Long](0) === Seq(2L, 0L, 1L, 2L))
  }

  test("columns that are not aggregates over a window are rejected") {
    def error(call: String) =
      intercept[AnalysisException](spark.sql(s"SELECT window_rows($call, id) FROM $rows"))
    for (call <- Seq("x", "rank() OVER (ORDER BY id)"))
      assertCondition(error(call), "MUNTIN_NOT_A_WINDOW", "function" -> "window_rows")
    error("max(x)"): Unit
  }
}

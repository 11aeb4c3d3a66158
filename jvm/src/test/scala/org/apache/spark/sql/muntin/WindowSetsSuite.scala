package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec

/** ROLLUP, CUBE and GROUPING SETS with windows of groups, against one query for each set. */
class WindowSetsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .range(40)
      .selectExpr(
        "id % 3 AS k",
        "id % 2 AS h",
        "id * 7 % 31 AS x",
        "timestamp_seconds(id * 20) AS at",
        "id * 7 % 31 + id % 5 AS until"
      )
      .createOrReplaceTempView("t")
  }

  private def rows(sql: String): Seq[Row] = spark.sql(sql).collect().toSeq.sortBy(_.toString)

  /** The columns of each grouping set of `k`, `h` and the window `w`. */
  private def each(window: String, sets: Seq[Set[String]]): Seq[Row] = {
    val columns = Seq("k", "h", "w")
    sets.flatMap { set =>
      val keys = columns.filter(set).map(c => if (c == "w") window else c)
      val clause = if (keys.isEmpty) "" else keys.mkString(" GROUP BY ", ", ", "")
      val selected = columns.map { c =>
        if (!set(c)) "NULL" else if (c == "w") s"$window AS w" else c
      }
      val functions = "count(*), sum(x), count(DISTINCT h), count_if(x > 10)"
      rows(s"SELECT ${selected.mkString(", ")}, $functions FROM t$clause")
    }.sortBy(_.toString)
  }

  private val cube = Set("k", "h", "w").subsets().toSeq

  private def found(window: String, sets: String): Seq[Row] = rows(
    s"""SELECT k, h, $window AS w, count(*), sum(x), count(DISTINCT h), count_if(x > 10)
       |FROM t GROUP BY $sets""".stripMargin
  )

  for (
    window <- Seq(
      "field_window(x, 6, 3)",
      "field_window(at, '2 minutes')",
      "validity(x, until)",
      "ticks(at, 'minutely')"
    )
  )
    sampledTest(s"$window, in each kind of sets", most = 2) {
      assert(found(window, s"CUBE (k, h, $window)") === each(window, cube))
      assert(found(window, s"ROLLUP (k, $window, h)") ===
        each(window, Seq(Set("k", "w", "h"), Set("k", "w"), Set("k"), Set())))
      assert(found(window, s"GROUPING SETS ((k, $window), (h), ())") ===
        each(window, Seq(Set("k", "w"), Set("h"), Set())))
      // Each set has the window.
      assert(found(window, s"CUBE (k, h), $window") === each(window, cube.filter(_("w"))))
    }

  test("grouping, fields of the window, HAVING, ORDER BY") {
    assume(RunningSpark.ordersCubes)
    val sets = spark.sql(
      """SELECT k, field_window.close, grouping(k) AS g, grouping_id() AS id,
        |  sum(x) + 1 AS total
        |FROM t GROUP BY ROLLUP (k, field_window(x, 16, 16))
        |HAVING count(*) > 3 ORDER BY id, k, field_window.close""".stripMargin
    )
    assert(sets.columns === Array("k", "close", "g", "id", "total"))
    assert(sets.collect().toSeq === rowsOf(sets.columns.length) {
      """SELECT k, field_window.close, 0, 0, sum(x) + 1 AS total FROM t
        |GROUP BY k, field_window(x, 16, 16) HAVING count(*) > 3 ORDER BY k, field_window.close
        |""".stripMargin
    } ++ rowsOf(sets.columns.length) {
      "SELECT k, NULL, 0, 1, sum(x) + 1 FROM t GROUP BY k ORDER BY k"
    } ++ rowsOf(sets.columns.length)("SELECT NULL, NULL, 1, 3, sum(x) + 1 FROM t"))
    assert(nodes(sets) { case w: GroupWindowsExec => w }.size === 1)
  }

  test("a join of the result with itself, and no rows") {
    val sets = spark.sql("SELECT k, count(*) AS n FROM t GROUP BY ROLLUP (k, validity(x, until))")
    val same = sets.as("a").join(sets.as("b"), "k")
    assert(same.count() === sets.where("k IS NOT NULL").groupBy("k").count()
      .selectExpr("sum(count * count)").head().getLong(0))
    assert(sets.sparkSession.sql(
      "SELECT count(*) FROM t WHERE x < 0 GROUP BY ROLLUP (k, field_window(x, 4, 4))"
    ).collect() === spark.sql(
      "SELECT count(*) FROM t WHERE x < 0 GROUP BY ROLLUP (k, x)"
    ).collect())
  }

  private def rowsOf(width: Int)(sql: String): Seq[Row] = {
    val found = spark.sql(sql).collect().toSeq
    assert(found.forall(_.length === width))
    found
  }
}

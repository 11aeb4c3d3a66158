package org.apache.spark.sql.muntin

import scala.util.Random

import org.scalatest.Assertion

import org.apache.spark.sql.Row

/**
 * Frames whose offsets are expressions of the row, against lists of the rows that are in each frame
 * by definition: a join of the table with itself, with stock Spark's expressions.
 */
class RowBoundsSuite extends AggregatesOfRows {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "made", rows = 90, seed = 31)
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW t AS SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n, " +
        "abs(hash(id)) % 5 AS b, abs(hash(id, 1)) % 40 AS w, " +
        "make_dt_interval(abs(hash(id, 2)) % 9, abs(hash(id, 3)) % 30) AS dt0, " +
        "make_ym_interval(0, abs(hash(id, 4)) % 4) AS ym0, " +
        "make_interval(0, abs(hash(id, 4)) % 2, 0, abs(hash(id, 5)) % 9) AS ci0 FROM made"
    ): Unit
  }

  private def rows(sql: String): Seq[Row] = spark.sql(sql).collect().toSeq.sortBy(_.getInt(0))

  /**
   * The ids in each frame, and their sum; `inside` is the condition for `o`, a row of the frame of
   * `t`.
   */
  private def check(over: String, inside: String): Assertion = {
    val found = rows(
      s"SELECT id, sort_array(collect_list(id) OVER (PARTITION BY k $over)), " +
        s"sum(i32) OVER (PARTITION BY k $over), max(d38) OVER (PARTITION BY k $over), " +
        s"median(i64) OVER (PARTITION BY k $over), count(DISTINCT i8) OVER (PARTITION BY k $over) FROM t"
    )
    val wanted = rows(
      "SELECT t.id, sort_array(collect_list(o.id)), sum(o.i32), max(o.d38), median(o.i64), " +
        s"count(DISTINCT o.i8) FROM t LEFT JOIN t o ON t.k <=> o.k AND ($inside) GROUP BY t.id"
    )
    assert(found === wanted, over)
  }

  sampledTest("ROWS") {
    check("ORDER BY id ROWS b PRECEDING", "o.n BETWEEN t.n - t.b AND t.n")
    check(
      "ORDER BY id ROWS BETWEEN w PRECEDING AND b + 1 FOLLOWING",
      "o.n BETWEEN t.n - t.w AND t.n + t.b + 1"
    )
    check("ORDER BY id ROWS BETWEEN CURRENT ROW AND w FOLLOWING", "o.n BETWEEN t.n AND t.n + t.w")
    check(
      "ORDER BY id ROWS BETWEEN w PRECEDING AND b PRECEDING",
      "o.n BETWEEN t.n - t.w AND t.n - t.b"
    )
    check("ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND b PRECEDING", "o.n <= t.n - t.b")
    check("ORDER BY id ROWS BETWEEN b FOLLOWING AND UNBOUNDED FOLLOWING", "o.n >= t.n + t.b")
    check(
      "ORDER BY id ROWS BETWEEN 2 PRECEDING AND CASE WHEN b > 2 AND w > 3 THEN 4 ELSE 0 END FOLLOWING",
      "o.n BETWEEN t.n - 2 AND t.n + IF(t.b > 2 AND t.w > 3, 4, 0)"
    )
  }

  test("EXCLUDE") {
    check(
      "ORDER BY id ROWS BETWEEN w PRECEDING AND b FOLLOWING EXCLUDE CURRENT ROW",
      "o.n BETWEEN t.n - t.w AND t.n + t.b AND o.n <> t.n"
    )
    check(
      "ORDER BY i8 RANGE BETWEEN b PRECEDING AND 1 FOLLOWING EXCLUDE GROUP",
      "o.i8 BETWEEN t.i8 - t.b AND t.i8 + 1 AND o.i8 <> t.i8"
    )
  }

  test("GROUPS") {
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW ranked AS SELECT *, dense_rank() OVER (PARTITION BY k ORDER BY i8 DESC) AS g FROM t"
    ): Unit
    val over = "PARTITION BY k ORDER BY i8 DESC GROUPS BETWEEN b PRECEDING AND w FOLLOWING"
    val found = rows(s"SELECT id, sort_array(collect_list(id) OVER ($over)) FROM ranked")
    val wanted = rows(
      "SELECT t.id, sort_array(collect_list(o.id)) FROM ranked t LEFT JOIN ranked o ON t.k <=> o.k AND o.g BETWEEN t.g - t.b AND t.g + t.w GROUP BY t.id"
    )
    assert(found === wanted)
    val ties = rows(
      s"SELECT id, sort_array(collect_list(id) OVER ($over EXCLUDE TIES)) FROM ranked"
    )
    val others = rows(
      "SELECT t.id, sort_array(collect_list(o.id)) FROM ranked t LEFT JOIN ranked o ON t.k <=> " +
        "o.k AND o.g BETWEEN t.g - t.b AND t.g + t.w AND (o.g <> t.g OR o.id = t.id) GROUP BY t.id"
    )
    assert(ties === others)
  }

  sampledTest("RANGE: numbers, in either order") {
    Seq("i8", "i16", "i32", "i64", "d5", "d18", "y").foreach { key =>
      check(
        s"ORDER BY $key RANGE w PRECEDING",
        s"o.$key BETWEEN t.$key - t.w AND t.$key OR (o.$key IS NULL AND t.$key IS NULL)"
      )
      check(
        s"ORDER BY $key DESC NULLS FIRST RANGE BETWEEN b FOLLOWING AND w * 2.5 FOLLOWING",
        s"o.$key <= t.$key - t.b AND o.$key >= t.$key - t.w * 2.5 OR (o.$key IS NULL AND t.$key IS NULL)"
      )
    }
    // A call that is equal for all rows: Spark accepts only literals.
    check(
      "ORDER BY y DESC RANGE BETWEEN double('inf') PRECEDING AND 1D FOLLOWING",
      "o.y >= t.y - 1 OR (o.y IS NULL AND t.y IS NULL)"
    )
    check(
      "ORDER BY huge RANGE BETWEEN w PRECEDING AND 9223372036854775807L * abs(b - b + 1) FOLLOWING",
      "o.huge >= t.huge - t.w OR (o.huge IS NULL AND t.huge IS NULL)"
    )
  }

  sampledTest("RANGE: dates, times and intervals") {
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      for (
        ((key, offset), i) <- Seq(
          "day" -> "ci0",
          "day" -> "ym0",
          "day" -> "dt0",
          "ts" -> "dt0",
          "ts" -> "ci0",
          "ts" -> "ym0",
          "ntz" -> "dt0",
          "ntz" -> "ci0",
          "ntz" -> "ym0",
          "dt" -> "dt0",
          "ym" -> "ym0"
        ).zipWithIndex
        if Repeats.selects(i, 3)
      ) {
        val cast = if (key == "day") "::timestamp_ntz" else ""
        check(
          s"ORDER BY $key RANGE BETWEEN $offset PRECEDING AND $offset FOLLOWING",
          s"o.$key$cast BETWEEN t.$key$cast - t.$offset AND t.$key$cast + t.$offset OR (o.$key IS NULL AND t.$key IS NULL)"
        )
      }
      check(
        "ORDER BY day DESC RANGE BETWEEN b PRECEDING AND CURRENT ROW",
        "o.day BETWEEN t.day AND date_add(t.day, t.b) OR (o.day IS NULL AND t.day IS NULL)"
      )
    }
  }

  test("many chains, and more than the limit") {
    val random = new Random(7)
    val table = (0 until 3000).map(i => (i, random.nextInt(900), random.nextInt(100).toDouble / 8))
    spark.createDataFrame(table).toDF("id", "w", "x").createOrReplaceTempView("wide")
    val over = "OVER (ORDER BY id ROWS BETWEEN w PRECEDING AND CURRENT ROW)"
    val found = rows(
      s"SELECT id, sum(x) $over, min(x) $over, count_min_sketch(id, 0.5D, 0.5D, 1) $over, array_size(collect_list(x) $over) FROM wide"
    )
    found.foreach { row =>
      val id = row.getInt(0)
      val in = table.slice(id - table(id)._2, id + 1).map(_._3)
      assert(row.getDouble(1) === in.sum)
      assert(row.getDouble(2) === in.min)
      assert(row.getInt(4) === in.size)
    }
    val far =
      "OVER (ORDER BY id ROWS BETWEEN (3000 - id) PRECEDING AND (id * 7919) % 3000 FOLLOWING)"
    rows(s"SELECT id, sum(x) $far, median(x) $far FROM wide").foreach { row =>
      val id = row.getInt(0)
      val in = table.slice(id - (3000 - id), id + (id * 7919) % 3000 + 1).map(_._3)
      assert(row.getDouble(1) === in.sum)
    }
  }

  test("invalid offsets are rejected") {
    def fails(item: String)(condition: String, parameters: (String, String)*): Unit =
      assertFails(condition, parameters: _*)(spark.sql(s"SELECT $item FROM t").collect())
    fails("sum(x) OVER (ORDER BY id ROWS b - 2 PRECEDING)")(
      "MUNTIN_NEGATIVE_FRAME_OFFSET",
      "kind" -> "ROWS",
      "bound" -> "(t.b - 2) PRECEDING"
    )
    fails("sum(x) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND i8 + 100 FOLLOWING)")(
      "MUNTIN_NULL_FRAME_OFFSET",
      "kind" -> "ROWS"
    )
    fails("sum(x) OVER (ORDER BY id RANGE ci0 PRECEDING)")(
      "MUNTIN_INVALID_RANGE_OFFSET_TYPE",
      "type" -> "INTERVAL"
    )
    fails("sum(x) OVER (ORDER BY ts RANGE dt0 - INTERVAL '9' DAY PRECEDING)")(
      "MUNTIN_NEGATIVE_FRAME_OFFSET",
      "kind" -> "RANGE"
    )
    fails("sum(x) OVER (ORDER BY id ROWS x PRECEDING)")(
      "MUNTIN_INVALID_FRAME_OFFSET_TYPE",
      "counted" -> "rows"
    )
    fails("sum(x) OVER (ORDER BY id, k RANGE b PRECEDING)")(
      "MUNTIN_RANGE_REQUIRES_ONE_ORDER",
      "count" -> "2"
    )
    fails("sum(x) OVER (GROUPS b PRECEDING)")("MUNTIN_FRAME_REQUIRES_ORDER_BY")
    fails("framed(sum(x), complete => true) OVER (ORDER BY id ROWS b PRECEDING)")(
      "MUNTIN_COMPLETE_REQUIRES_ROWS_FRAME"
    )
    fails("sum(x) OVER (ORDER BY id ROWS nothing PRECEDING)")("UNRESOLVED_COLUMN.WITH_SUGGESTION")
  }

  test("with other frames, named windows, the changes of framed, EXPLAIN") {
    val plan = spark.sql(
      "SELECT sum(x) OVER w, sum(x) OVER (w ROWS 3 PRECEDING), framed(sum(x), closed => 'left') OVER (PARTITION BY k ORDER BY id ROWS BETWEEN b PRECEDING AND w FOLLOWING), rank() OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY id)"
    )
    val text = plan.queryExecution.executedPlan.toString
    assert(text.contains("ROWS BETWEEN"), text)
    val found = rows(
      "SELECT id, sort_array(framed(collect_list(id), closed => 'neither') OVER (PARTITION BY k ORDER BY id ROWS BETWEEN b PRECEDING AND w FOLLOWING)) FROM t"
    )
    val wanted = rows(
      "SELECT t.id, sort_array(collect_list(o.id)) FROM t LEFT JOIN t o ON t.k <=> o.k AND o.n > t.n - t.b AND o.n < t.n + t.w GROUP BY t.id"
    )
    assert(found === wanted)
  }
}

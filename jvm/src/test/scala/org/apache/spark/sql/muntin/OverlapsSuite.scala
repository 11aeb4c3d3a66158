package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.execution.overlaps.OverlapJoinExec
import org.scalatest.Assertion

/** Joins of intervals, against stock Spark's joins by the equivalent comparisons. */
class OverlapsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "a", rows = 160, seed = 51)
    RandomTable.create(spark, "b", rows = 130, seed = 52)
  }

  private def operators(frame: DataFrame): Int = nodes(frame) { case o: OverlapJoinExec => o }.size

  private def rows(frame: DataFrame): Seq[String] =
    frame.collect().toSeq.map(_.toString).sorted

  private def comparisons(ls: String, le: String, rs: String, re: String): String =
    s"if($ls IS NULL OR $rs IS NULL, NULL, coalesce($ls < $re, $re IS NULL) AND coalesce($rs < $le, $le IS NULL) " +
      s"AND coalesce($ls < $le, $le IS NULL) AND coalesce($rs < $re, $re IS NULL))"

  private val joins =
    Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  // Starts and ends of both sides.
  private val intervals = Seq(
    ("a.ts", "a.ts + INTERVAL 2 HOURS", "b.ts", "b.ts + INTERVAL 20 MINUTES"),
    ("a.ntz", "a.ntz + make_interval(0, 0, 0, 0, a.i8)", "b.ntz", "b.ntz + INTERVAL 1 DAY"),
    ("a.day", "a.day + a.i8", "b.day", "b.day + 3"),
    ("a.i32", "a.i32 + a.i8", "b.i32", "b.i64"),
    ("a.d5", "a.d5 + 0.75", "b.d5", "b.d18"),
    ("a.x", "a.y", "b.wild", "b.x"),
    ("a.s", "a.s || 'b'", "b.s", "b.s || 'z'"),
    ("a.i8", "IF(a.id % 3 = 0, NULL, a.i8 + 2)", "b.i8", "IF(b.id % 2 = 0, NULL, b.i8)"),
    (
      "a.ts",
      "IF(a.flag, a.ts + INTERVAL 2 HOURS, NULL)",
      "b.ts",
      "IF(b.id % 4 = 0, NULL, b.ts + INTERVAL 1 DAY)"
    ),
    ("a.s", "IF(a.flag, a.s || 'b', NULL)", "b.s", "nullif(b.s || 'z', 'az')")
  )

  private def check(ends: (String, String, String, String), join: String, on: String): Assertion = {
    val (ls, le, rs, re) = ends
    val shown = if (join.startsWith("LEFT ")) "a.id, a.s" else "a.id, b.id, a.s, b.k"
    def query(condition: String) =
      spark.sql(s"SELECT $shown FROM a $join JOIN b ON $on AND $condition")
    val wanted = interpreted(rows(query(comparisons(ls, le, rs, re))))
    val ours = query(s"overlaps($ls, $le, $rs, $re)")
    assert(operators(ours) === 1)
    val keys = nodes(ours) { case o: OverlapJoinExec => o.leftKeys }.flatten
    assert(keys.nonEmpty === on.contains("a.k "), on)
    assert(rows(ours) === wanted, s"$join, $on")
    assert(rows(query(s"overlaps($rs, $re, $ls, $le)")) === wanted)
  }

  private val conditions = Seq(
    "a.k = b.k",
    "true",
    "a.k = b.k AND a.flag = b.flag AND a.id % 3 <> b.id % 4",
    "a.k <=> b.k AND b.id % 5 > 1 AND a.flag"
  )

  for ((ends, i) <- intervals.zipWithIndex)
    sampledTest(s"[${ends._1}, ${ends._2}) overlaps [${ends._3}, ${ends._4})") {
      // By default, each kind of join runs one of the conditions; all tests together cover all
      // conditions.
      for ((join, j) <- joins.zipWithIndex; (on, k) <- conditions.zipWithIndex)
        if (Repeats.selects(i + j + k, 4)) check(ends, join, on)
    }

  sampledTest("many intervals that are open at one time, and rows that have ended long ago") {
    def view(name: String, long: Int) = spark.sql(
      s"CREATE OR REPLACE TEMP VIEW $name AS SELECT id, CAST(id % 3 AS INT) AS k, id * 7 % 4000 AS s, " +
        s"id * 7 % 4000 + IF(id % 50 = 0, $long, 1 + id % 5) AS e FROM range(4000)"
    )
    view("p", 1000)
    view("q", 300)
    joins.foreach { join =>
      val shown = if (join.startsWith("LEFT ")) "p.id" else "p.id, q.id"
      def query(condition: String) =
        spark.sql(s"SELECT $shown FROM p $join JOIN q ON p.k = q.k AND $condition")
      val wanted = rows(query(comparisons("p.s", "p.e", "q.s + 2000", "q.e + 2000")))
      assert(rows(query("overlaps(p.s, p.e, q.s + 2000, q.e + 2000)")) === wanted, join)
    }
  }

  test("memory contains only open intervals") {
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW seconds AS SELECT id AS s, id + 3 AS e, repeat('x', 100) AS pad " +
        "FROM range(200000)"
    )
    val joined = spark.sql(
      "SELECT count(*), max(a.pad || b.pad) FROM seconds a JOIN seconds b ON overlaps(a.s, a.e, b.s, b.e)"
    )
    assert(joined.collect().head.getLong(0) === 5L * 200000 - 2 * (1 + 2))
    val join = nodes(joined) { case o: OverlapJoinExec => o }.head
    assert(join.metrics("peakMemory").value < (1L << 20))
  }

  test("elsewhere it is an ordinary condition") {
    def same(query: String => String, operators: Int = 0): Assertion = {
      val ours = spark.sql(query("overlaps(a.i32, a.i64, b.i8, b.i16)"))
      assert(this.operators(ours) === operators)
      assert(rows(ours) === rows(spark.sql(query(comparisons("a.i32", "a.i64", "b.i8", "b.i16")))))
    }
    same(c => s"SELECT a.id, b.id, $c FROM a JOIN b ON a.id = b.id")
    same(c => s"SELECT a.id, b.id FROM a JOIN b ON a.id = b.id AND NOT $c")
    same(c => s"SELECT a.id, b.id FROM a JOIN b ON a.id = b.id OR $c")
    same(c => s"SELECT a.id, b.id FROM a, b WHERE a.k = b.k AND $c", operators = 1)
    same(c => s"SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND $c)", 1)
    same(
      c => s"SELECT a.id, b.id FROM a JOIN b ON $c AND a.id > (SELECT avg(id) FROM b)",
      operators = 1
    )
    assert(rows(spark.sql(
      "SELECT overlaps(1, 2, 2, 3), overlaps(1, 3, 2, 3), overlaps(1, 1, 0, 3), overlaps(1, null, 0, 3), " +
        "overlaps(3, null, 0, 3), overlaps(3, null, 9, null), overlaps(null, 2, 0, 3), overlaps(null, null, 0, 3), " +
        "overlaps(null, 1, 5, 5)"
    )) === Seq("[false,true,false,true,false,true,null,null,null]"))
    val plan = spark.sql("SELECT 1 FROM a JOIN b ON a.k = b.k AND overlaps(a.x, a.y, b.x, b.y)")
      .queryExecution.executedPlan.toString
    assert(plan.contains("MuntinOverlapJoin Inner, [k#"))
  }

  test("an interval without an end reaches the greatest value of its type") {
    spark.sql(
      s"""CREATE OR REPLACE TEMP VIEW extremes AS SELECT * FROM VALUES (1, ${Long.MaxValue}L, NULL),
         |(2, ${Long.MaxValue}L, ${Long.MaxValue}L), (3, ${Long.MinValue}L, NULL), (4, 0L, ${Long.MaxValue}L),
         |(5, NULL, NULL), (6, NULL, 3L) x(id, s, e)""".stripMargin
    )
    val joined =
      spark.sql("SELECT a.id, b.id FROM extremes a JOIN extremes b ON overlaps(a.s, a.e, b.s, b.e)")
    assert(operators(joined) === 1)
    assert(rows(joined) === Seq("[1,1]", "[1,3]", "[3,1]", "[3,3]", "[3,4]", "[4,3]", "[4,4]"))
    val doubles =
      "VALUES (1, double('NaN'), NULL), (2, double('Infinity'), double('NaN')), (3, 0D, NULL) x(id, s, e)"
    val ofDoubles =
      spark.sql(s"SELECT a.id, b.id FROM $doubles JOIN $doubles ON true".replace(
        "x(id, s, e) JOIN",
        "a(id, s, e) JOIN"
      )
        .replace("x(id, s, e) ON true", "b(id, s, e) ON overlaps(a.s, a.e, b.s, b.e)"))
    assert(
      rows(ofDoubles) === Seq("[1,1]", "[1,3]", "[2,2]", "[2,3]", "[3,1]", "[3,2]", "[3,3]")
    )
  }

  test("ends without a common type are rejected") {
    def error(call: String) =
      intercept[AnalysisException](spark.sql(s"SELECT 1 FROM a JOIN b ON $call"))
    Seq("overlaps(a.ts, a.ts, b.i32, b.i32)", "overlaps(a.s, a.s, b.ts, b.ts)").foreach { call =>
      assertCondition(error(call), "MUNTIN_INCOMPATIBLE_WINDOW_TIMES", "function" -> "overlaps")
    }
    assertCondition(error("overlaps(a.x, a.y, b.x, rand())"), "MUNTIN_NONDETERMINISTIC")
  }
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.scalatest.Assertion

/**
 * Sessions for each row against sessions by stock Spark's lag and a running count, and sessions of
 * groups against stock Spark's session_window.
 */
class SessionsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 140, seed = 41)
  }

  private def rows(query: String): Seq[String] =
    spark.sql(query).collect().toSeq.map(_.toString).sorted

  // The order, the gap for session, and the gap for stock Spark.
  private val gaps = Seq(
    ("ts", "INTERVAL 3 HOURS", "INTERVAL 3 HOURS"),
    ("ts", "'90 minutes'", "INTERVAL 90 MINUTES"),
    ("ts", "5400", "INTERVAL 90 MINUTES"),
    ("ntz", "INTERVAL 1 HOUR", "INTERVAL 1 HOUR"),
    ("day", "2", "2"),
    ("day", "INTERVAL 3 DAYS", "3"),
    ("i8", "1", "1"),
    ("i32", "2", "2"),
    ("i64", "2000000014", "2000000014"),
    ("d5", "0.75", "0.75"),
    ("f", "1.5", "1.5"),
    ("x", "20.5", "20.5D"),
    ("wild", "2", "2D")
  )

  for ((time, gap, added) <- gaps; descending <- Seq(false, true))
    sampledTest(
      s"everything since the last gap of $gap along $time${if (descending) " DESC" else ""}"
    ) {
      val order = s"$time${if (descending) " DESC" else ""}, id"
      val before = s"lag($time) OVER (PARTITION BY k ORDER BY $order)"
      val first = s"row_number() OVER (PARTITION BY k ORDER BY $order) = 1"
      val apart =
        if (descending) s"$time < before - $added" else s"$time > before + $added"
      val aggregates =
        Seq("sum(i32)", "collect_list(id)", "max(s)", "count(DISTINCT i8)", "median(d5)")
      def listed(of: String => String) = aggregates.map(of).mkString(", ")
      val stock = s"""SELECT id, g, ${listed(a =>
          if (a.contains("DISTINCT") || a.startsWith("median")) s"framed($a) OVER s"
          else s"$a OVER s"
        )} FROM (
          SELECT *, 1 + count_if(opens) OVER (PARTITION BY k ORDER BY $order
            ROWS UNBOUNDED PRECEDING) AS g FROM (
            SELECT *, NOT first AND NOT ($time <=> before) AND
              coalesce($apart, true) AS opens FROM (
              SELECT *, $before AS before, $first AS first FROM t)))
        WINDOW s AS (PARTITION BY k, g ORDER BY $order ROWS UNBOUNDED PRECEDING)"""
      val over = s"OVER (PARTITION BY k ORDER BY $order)"
      val ours =
        s"SELECT id, session_number($gap) $over, ${listed(a => s"session($a, $gap) $over")} FROM t"
      val wanted = rows(stock)
      assert(rows(ours) === wanted)
      assert(withConf("spark.muntin.over.forceSpill" -> "true")(rows(ours)) === wanted)
    }

  test("a gap exact to the microsecond, and peers") {
    val clicks =
      "VALUES (TIMESTAMP'2026-01-01 10:00:00', 1), (TIMESTAMP'2026-01-01 10:00:00', 2), " +
        "(TIMESTAMP'2026-01-01 10:30:00', 3), (TIMESTAMP'2026-01-01 11:00:00.000001', 4) AS c(at, n)"
    val over = "OVER (ORDER BY at, n)"
    assert(rows(
      s"SELECT n, session_number('30 minutes') $over, session(sum(n), '30 minutes') $over FROM $clicks"
    ) === Seq("[1,1,1]", "[2,1,3]", "[3,1,6]", "[4,2,4]"))
  }

  test("the places where session and session_number are allowed") {
    val w = "(PARTITION BY k ORDER BY i32, id)"
    val n = "session_number(3)"
    assert(rows(s"SELECT max(n) FROM (SELECT $n OVER $w AS n FROM t)").size === 1)
    assert(
      rows(s"SELECT id FROM t QUALIFY $n OVER $w = 2") ===
        rows(s"SELECT id FROM (SELECT id, $n OVER $w AS n FROM t) WHERE n = 2")
    )
    assert(rows(
      s"SELECT id, $n OVER $w, row_number() OVER $w, lead(id) OVER $w, sum(i8) OVER $w, " +
        s"session(sum(i8) FILTER (WHERE flag), 3) OVER $w FROM t"
    ).size === 140)
    // Also if Spark's own operator runs the other windows.
    assert(
      withMuntin(enabled = false)(rows(s"SELECT id, $n OVER $w FROM t")) ===
        rows(s"SELECT id, $n OVER $w FROM t")
    )
    val columns = spark.sql(
      "SELECT session(count(1), 3) OVER (ORDER BY id), session_number(3) OVER (ORDER BY id) FROM t"
    ).columns
    assert(columns(0) === "session(count(1), 3) OVER (ORDER BY id ASC NULLS FIRST)")
    assert(columns(1).startsWith("session_number(3) OVER (ORDER BY id"))
    val plan = spark.sql(s"SELECT session(max(id), 3) OVER $w FROM t").queryExecution.executedPlan
    assert(plan.toString.contains("session, gaps of 3"))
  }

  private def refuses(item: String)(condition: String, parameters: (String, String)*): Unit =
    assertCondition(
      intercept[AnalysisException](spark.sql(s"SELECT $item FROM t")),
      condition,
      parameters: _*
    )

  test("invalid arguments are rejected") {
    val w = "OVER (PARTITION BY k ORDER BY ts, id)"
    val wrongValue = "MUNTIN_INVALID_ARGUMENT_VALUE"
    val ofGap = "parameter" -> "gap"
    for (f <- Seq("session(sum(i32), ", "session_number(")) {
      refuses(s"${f}0) $w")(wrongValue, ofGap, "argument" -> "0")
      refuses(s"$f-INTERVAL 3 HOURS) $w")(wrongValue, ofGap)
      refuses(s"${f}NULL) $w")(wrongValue, ofGap, "argument" -> "NULL")
      refuses(s"${f}i32) $w")(wrongValue, ofGap, "argument" -> "t.i32")
      refuses(s"${f}INTERVAL 2 MONTHS) $w")("MUNTIN_DURATION_WITH_MONTHS", ofGap)
      refuses(s"$f'soon') $w")(wrongValue, ofGap, "argument" -> "'soon'")
      refuses(s"${f}3) OVER (ORDER BY s)")(
        "MUNTIN_INVALID_ARGUMENT_TYPE",
        "parameter" -> "ORDER BY",
        "type" -> "STRING"
      )
      refuses(s"${f}3) OVER (ORDER BY vast)")("MUNTIN_TOO_MANY_DIGITS", "limit" -> "18")
      refuses(s"${f}2.5) OVER (ORDER BY i32)")(wrongValue, ofGap, "argument" -> "2.5BD")
      refuses(s"${f}3) OVER (PARTITION BY k)")(
        if (f.startsWith("session_number")) "WINDOW_FUNCTION_FRAME_NOT_ORDERED"
        else "MUNTIN_MISSING_ORDER_BY"
      )
      refuses(s"${f}3)")("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE")
    }
    refuses(s"session(i32, 3) $w")("MUNTIN_NOT_AN_AGGREGATE")
    refuses("session(sum(i32), 3) OVER (ORDER BY i32 ROWS 3 PRECEDING)")("MUNTIN_UNEXPECTED_FRAME")
    refuses("k, count(*) FROM t GROUP BY k, sessions(ts, 0) UNION SELECT 1, 1")(wrongValue, ofGap)
  }

  private val ofStock =
    Seq("count(*)", "sum(i32)", "max(s)", "avg(d5)", "min(y)", "count(s)", "bit_xor(i16)")

  private def group(by: String, what: Seq[String], where: String): String =
    s"SELECT k, w.start, w.end, ${what.indices.map(i => s"c$i").mkString(", ")} FROM (SELECT k, $by AS w, " +
      s"${what.zipWithIndex.map { case (f, i) => s"$f AS c$i" }.mkString(", ")} FROM t WHERE $where GROUP BY k, w)"

  private def panes(query: String): Int =
    nodes(spark.sql(query)) { case p: PanePartialsExec => p }.size

  for (gap <- Seq("10 minutes", "90 minutes", "3 hours", "2 days"))
    sampledTest(s"sessions of $gap equal Spark's session_window") {
      val wanted = rows(group(s"session_window(ts, '$gap')", ofStock, "ts IS NOT NULL"))
      val ours = group(s"sessions(ts, '$gap')", ofStock, "ts IS NOT NULL")
      assert(wanted.size > 5)
      assert(panes(ours) === 1)
      assert(rows(ours) === wanted)
      withConf(MuntinConf.PanesEnabled.key -> "false") {
        assert(panes(ours) === 0)
        assert(rows(ours) === wanted)
        assert(withConf("spark.muntin.over.forceSpill" -> "true")(rows(ours)) === wanted)
      }
      // Functions that use the rows' order, and DISTINCT, over rows that were numbered first.
      val more = Seq("sort_array(collect_list(id))", "count(DISTINCT i8)", "median(i32)")
      val over = "OVER (PARTITION BY k ORDER BY ts)"
      assert(rows(group(s"sessions(ts, '$gap')", more, "ts IS NOT NULL")) === rows(
        s"SELECT k, min(ts), max(ts) + INTERVAL '$gap', ${more.mkString(", ")} FROM (" +
          s"SELECT *, session_number('$gap') $over AS n FROM t WHERE ts IS NOT NULL) GROUP BY k, n"
      ))
    }

  test("times of other types, without keys, and the name of the column") {
    def same(time: String, gap: String, end: String, where: String = "true"): Assertion = {
      val query =
        s"SELECT sessions.start, sessions.end, count(*), max(id) FROM t WHERE $time IS NOT NULL " +
          s"AND $where GROUP BY sessions($time, $gap)"
      assert(nodes(spark.sql(query)) { case w: GroupWindowsExec => w }.size === 1)
      assert(rows(query) === rows(
        s"SELECT min($time), $end, count(*), max(id) FROM (SELECT *, session_number($gap) OVER (" +
          s"ORDER BY $time) AS n FROM t WHERE $time IS NOT NULL AND $where) GROUP BY n"
      ))
    }
    same("ntz", "INTERVAL 1 HOUR", "max(ntz) + INTERVAL 1 HOUR")
    same("day", "2", "max(day) + 2")
    same("i8", "1", "CAST(max(i8) + 1 AS TINYINT)")
    same("i64", "1000000007", "max(i64) + 1000000007")
    same("d5", "0.25", "CAST(max(d5) + 0.25 AS DECIMAL(5, 2))")
    same("y", "10", "max(y) + 10D")
    val names = spark.sql("SELECT sessions, count(*) FROM t WHERE id > 3 GROUP BY sessions(id, 2)")
    assert(names.columns.head === "sessions")
  }

  test("drain => false does not return sessions that no row of any group has closed") {
    val clicks = "VALUES ('a', 1), ('a', 3), ('a', 14), ('b', 2), ('b', 21) AS c(user, t)"
    def found(drain: String) = rows(
      s"SELECT user, sessions.start, sessions.end, count(*) FROM $clicks GROUP BY user, sessions(t, 6$drain)"
    )
    val all = Seq("[a,1,9,2]", "[a,14,20,1]", "[b,2,8,1]", "[b,21,27,1]")
    assert(found("") === all)
    assert(found(", drain => false") === all.init)
  }

  test("rows without a time, and ends that overflow the type, are errors that show them") {
    Seq(true, false).foreach { panes =>
      withConf(MuntinConf.PanesEnabled.key -> panes.toString) {
        assertFails("MUNTIN_NULL_WINDOW_FIELD", "parameter" -> "time", "field" -> "t.ts") {
          spark.sql("SELECT count(*) FROM t GROUP BY k, sessions(ts, 60)").collect()
        }
      }
    }
    assertFails("MUNTIN_SESSION_OUT_OF_RANGE", "last" -> "120", "type" -> "TINYINT")(spark.sql(
      "SELECT count(*) FROM VALUES (CAST(120 AS TINYINT)) AS v(t) GROUP BY sessions(t, 10)"
    ).collect())
  }

  test("a gap of whole days is 24 hours per day, while session_window counts calendar days") {
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      def sessions(call: String): Long = spark.sql(
        "SELECT count(*) FROM (SELECT 1 FROM VALUES (TIMESTAMP'2026-10-31 12:00:00'), " +
          s"(TIMESTAMP'2026-11-01 11:59:00') t(at) GROUP BY $call)"
      ).collect().head.getLong(0)
      assert(sessions("sessions(at, '1 day')") === 2L)
      assert(sessions("session_window(at, '1 day')") === 1L)
      Seq("sessions", "session_window").foreach(f => assert(sessions(s"$f(at, '25 hours')") === 1L))
      Seq("'1 month'", "'0 seconds'").foreach { gap =>
        intercept[AnalysisException](sessions(s"sessions(at, $gap)"))
      }
    }
  }
}

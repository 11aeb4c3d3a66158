package org.apache.spark.sql.muntin

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.muntin.execution.groups.GroupWindowsExec
import org.scalatest.Assertion

/** Windows of a GROUP BY in subqueries that read a column of the outer query. */
class CorrelatedWindowsSuite extends MuntinSession {
  override protected def settings: Map[String, String] = mostlyInterpreted

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("CREATE TEMP VIEW a AS SELECT * FROM VALUES (1), (2), (3), (NULL), (2) a(k)"): Unit
    spark.sql(
      """CREATE TEMP VIEW b AS SELECT *, timestamp_seconds(at) AS ts, at + 3 AS until FROM VALUES
        |(1, 1, 10), (1, 2, 20), (1, 9, 30), (2, 4, 40), (2, 300, 50), (NULL, 7, 60), (2, 5, 70)
        |b(k, at, v)""".stripMargin
    ): Unit
  }

  private def rows(query: String, isOurs: Boolean = true): Seq[Row] = {
    val frame = spark.sql(query)
    if (isOurs) assert(nodes(frame) { case w: GroupWindowsExec => w }.nonEmpty, query)
    frame.collect().toSeq.sortBy(_.toString)
  }

  private def same(query: String, joined: String): Assertion = {
    val expected = rows(joined, isOurs = false)
    assert(expected.nonEmpty && rows(query) === expected, query)
  }

  private val windows = Seq(
    "sessions(at, 2)" -> "sessions.start",
    "sessions(ts, '2 seconds')" -> "sessions.start",
    "field_window(at, 5, 5)" -> "field_window.open",
    "field_window(at, 5)" -> "field_window.open",
    "field_window(ts, '5 seconds', '2 seconds', open => 'all')" -> "field_window.open",
    "validity(at, until)" -> "validity.start"
  )

  sampledTest("LATERAL: equals a join with the windows of each key") {
    for (((window, start), i) <- windows.zipWithIndex if Repeats.selects(i, 3)) {
      val four = if (window.contains("(ts")) "timestamp_seconds(4)" else "4"
      val each = s"SELECT k, $start AS s, count(*) AS n, sum(v) AS total FROM b GROUP BY k, $window"
      val of =
        s"SELECT $start AS s, count(*) AS n, sum(v) AS total FROM b WHERE b.k = a.k GROUP BY $window"
      same(
        s"SELECT a.k, l.* FROM a, LATERAL ($of) l",
        s"SELECT a.k, s, n, total FROM a JOIN ($each) w ON a.k = w.k"
      )
      same(
        s"SELECT a.k, l.* FROM a LEFT JOIN LATERAL ($of HAVING $start > $four) l",
        s"SELECT a.k, s, n, total FROM a LEFT JOIN ($each) w ON a.k = w.k AND s > $four"
      )
    }
  }

  test("scalar subqueries, EXISTS, IN: equal a join with the windows of each key") {
    for ((window, start) <- windows.take(1)) {
      val each = s"SELECT k, $start AS s, count(*) AS n, sum(v) AS total FROM b GROUP BY k, $window"
      val of =
        s"SELECT $start AS s, count(*) AS n, sum(v) AS total FROM b WHERE b.k = a.k GROUP BY $window"
      same(
        s"SELECT k, (SELECT max(n) FROM ($of)), (SELECT count(*) FROM ($of)) FROM a",
        s"SELECT a.k, max(n), count(n) FROM (SELECT DISTINCT k FROM a) a LEFT JOIN ($each) w ON a.k = w.k GROUP BY a.k " +
          "UNION ALL SELECT 2, max(n), count(*) FROM (" + each + ") WHERE k = 2"
      )
      same(
        s"SELECT k FROM a WHERE EXISTS ($of HAVING sum(v) = 40 OR sum(v) = 110)",
        s"SELECT a.k FROM a LEFT SEMI JOIN ($each) w ON a.k = w.k AND total IN (40, 110)"
      )
      same(
        s"SELECT k FROM a WHERE k + 1 IN (SELECT n + 1 FROM ($of))",
        s"SELECT a.k FROM a LEFT SEMI JOIN ($each) w ON a.k = w.k AND a.k = n"
      )
      same(
        s"SELECT k FROM a WHERE NOT EXISTS ($of)",
        s"SELECT a.k FROM a LEFT ANTI JOIN ($each) w ON a.k = w.k"
      )
    }
  }

  test("a key of the subquery; null-safe; in WITH; two levels; a view") {
    val window = "sessions(at, 2)"
    val each = s"SELECT k, sessions.start AS s, count(*) AS n FROM b GROUP BY k, $window"
    val joined = s"SELECT a.k, s, n FROM a JOIN ($each) w ON a.k = w.k"
    same(
      s"SELECT a.k, s, n FROM a, LATERAL (SELECT b.k, sessions.start AS s, count(*) AS n FROM b WHERE b.k = a.k GROUP BY b.k, $window)",
      joined
    )
    same(
      s"SELECT a.k, s, n FROM a, LATERAL (SELECT sessions.start AS s, count(*) AS n FROM b WHERE b.k <=> a.k GROUP BY $window)",
      s"SELECT a.k, s, n FROM a JOIN ($each) w ON a.k <=> w.k"
    )
    same(
      s"SELECT a.k, s, n FROM a, LATERAL (WITH w AS (SELECT sessions.start AS s, count(*) AS n FROM b WHERE b.k = a.k GROUP BY $window) SELECT * FROM w)",
      joined
    )
    same(
      s"WITH l AS (SELECT a.k, s, n FROM a, LATERAL (SELECT sessions.start AS s, count(*) AS n FROM b WHERE b.k = a.k GROUP BY $window)) SELECT * FROM l WHERE k > 0",
      joined
    )
    same(
      s"SELECT k, s, n FROM a, LATERAL (SELECT s, n FROM (SELECT 1), LATERAL (SELECT sessions.start AS s, count(*) AS n FROM b WHERE b.k = 1 GROUP BY $window) WHERE a.k = n)",
      s"SELECT a.k, s, n FROM a JOIN ($each) w ON w.k = 1 AND a.k = n"
    )
    same(
      s"SELECT k, s, n FROM (SELECT 1 AS one), LATERAL (SELECT a.k, s, n FROM a, LATERAL (SELECT sessions.start AS s, count(*) AS n FROM b WHERE b.k = a.k GROUP BY $window) WHERE a.k > one)",
      s"$joined AND a.k > 1"
    )
    spark.sql(
      s"CREATE OR REPLACE TEMP VIEW v AS SELECT a.k, s, n FROM a, LATERAL (SELECT sessions.start AS s, count(*) AS n FROM b WHERE b.k = a.k GROUP BY $window)"
    )
    same("SELECT k, s, n FROM v", joined)
    same("SELECT v.* FROM v JOIN (SELECT DISTINCT k FROM v) w ON v.k = w.k", joined)
  }

  test("together with Spark's window") {
    def of(window: String, start: String) =
      s"SELECT k, l.* FROM a, LATERAL (SELECT $start AS s, count(*) AS n, sum(v) AS total FROM b WHERE b.k = a.k GROUP BY $window) l"
    assert(
      rows(of("field_window(ts, '5 seconds', '5 seconds')", "field_window.open")) ===
        rows(of("window(ts, '5 seconds')", "window.start"), isOurs = false)
    )
    assert(
      rows(of("sessions(ts, '2 seconds')", "sessions.start")) ===
        rows(of("session_window(ts, '2 seconds')", "session_window.start"), isOurs = false)
    )
  }

  test("ticks end at the newest row that the outer query selects") {
    val of =
      "SELECT ticks.end AS e, count(v) AS n FROM b WHERE b.k = a.k GROUP BY ticks(ts, 'minutely')"
    def alone(k: Int) =
      s"SELECT $k AS k, ticks.end AS e, count(v) AS n FROM b WHERE k = $k GROUP BY ticks(ts, 'minutely')"
    val byHand = Seq(1, 2, 2).map(alone).mkString(" UNION ALL ")
    assert(rows(alone(1)).size === 1 && rows(alone(2)).size === 5)
    same(s"SELECT k, l.* FROM a, LATERAL ($of) l", byHand)
    same(
      s"SELECT k, (SELECT count(e) FROM ($of)) FROM a",
      "SELECT * FROM VALUES (1, 1L), (2, 5L), (2, 5L), (3, 0L), (NULL, 0L)"
    )
    val spans = "GROUP BY ticks(ts, 'minutely', span => NULL, drain => false)"
    same(
      s"SELECT k, l.* FROM a, LATERAL (SELECT ticks.end AS e, count(v) AS n FROM b WHERE b.k = a.k $spans) l",
      s"SELECT 2 AS k, ticks.end AS e, count(v) AS n FROM b, VALUES (1), (2) t(i) WHERE k = 2 $spans, i"
    )
  }

  test("windows that need the newest row of all groups are rejected") {
    Seq("sessions(at, 2, drain => false)", "field_window(at, 5, every => 1)").foreach { window =>
      val error = intercept[AnalysisException](spark.sql(
        s"SELECT k, l.n FROM a, LATERAL (SELECT count(*) n FROM b WHERE b.k = a.k GROUP BY $window) l"
      ))
      assertCondition(error, "MUNTIN_CORRELATED_WINDOW")
    }
  }

  test("other conditions than equalities, if Spark accepts them") {
    Seq("b.k < a.k", "b.k = a.k AND v + a.k > 11").foreach { condition =>
      val window = "sessions(at, 2)"
      val query =
        s"SELECT k, l.* FROM a, LATERAL (SELECT sessions.start AS s, count(*) AS n FROM b WHERE $condition GROUP BY $window) l"
      val each =
        s"SELECT a.k, sessions.start AS s, count(*) AS n FROM (SELECT DISTINCT k FROM a) a JOIN b ON $condition GROUP BY a.k, $window"
      Try(spark.sql(query)) match {
        case Success(_) => same(query, s"SELECT a.k, s, n FROM a JOIN ($each) w ON a.k = w.k")
        case Failure(e: AnalysisException) => assert(e.getCondition.contains("CORRELATED"))
        case Failure(e) => fail(e)
      }
    }
  }
}

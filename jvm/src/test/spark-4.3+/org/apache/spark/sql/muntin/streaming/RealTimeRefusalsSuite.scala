package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.{DataFrame => AnyDataFrame, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf

/** Queries with windows that real-time mode does not run are rejected, with a reason. */
final class RealTimeRefusalsSuite extends RealTimeSession {
  import StreamSession.Readings

  private val Sum = "sum(d) OVER (PARTITION BY k ORDER BY t ROWS 3 PRECEDING)"

  private def stream: DataFrame = new RealTimeSource(Readings, _.get(0)).rows

  private def started(query: AnyDataFrame): Unit = (new Emitted).start(query).stop()

  private def check(sql: String, condition: String): Unit =
    test(s"$condition: $sql") {
      stream.createOrReplaceTempView("other")
      assertRefused(condition)(started(asked(sql)(stream)))
    }

  check(
    "SELECT lead(i) OVER (PARTITION BY k ORDER BY t) FROM t",
    "MUNTIN_LOOK_AHEAD_IN_REAL_TIME_MODE"
  )
  check(
    "SELECT sum(i) OVER (PARTITION BY k ORDER BY t ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t",
    "MUNTIN_LOOK_AHEAD_IN_REAL_TIME_MODE"
  )
  check(
    "SELECT sum(i) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 1 SECOND PRECEDING " +
      "AND INTERVAL 1 SECOND FOLLOWING) FROM t",
    "MUNTIN_LOOK_AHEAD_IN_REAL_TIME_MODE"
  )
  check(
    "SELECT k, sum(d), revision() FROM t GROUP BY k, tumble(t, INTERVAL 1 MINUTE)",
    "MUNTIN_REVISION_IN_REAL_TIME_MODE"
  )
  check(
    s"SELECT k, max(s) FROM (SELECT *, $Sum AS s FROM t) GROUP BY k, tumble(t, INTERVAL 1 MINUTE)",
    "MUNTIN_SEVERAL_WINDOWS_IN_REAL_TIME_MODE"
  )
  check(s"SELECT *, $Sum AS s, revision() FROM t", "MUNTIN_REVISION_IN_REAL_TIME_MODE")
  check(
    s"SELECT *, $Sum FROM (SELECT * FROM t UNION ALL SELECT * FROM other)",
    "MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE"
  )
  check(s"SELECT *, $Sum FROM t WHERE NOT bound(k IS NULL)", "MUNTIN_BOUND_IN_GROUP_ORDER")
  check(
    s"SELECT *, sum(s) OVER (PARTITION BY i % 2 ORDER BY t ROWS 3 PRECEDING) " +
      s"FROM (SELECT *, $Sum AS s FROM t)",
    "MUNTIN_SEVERAL_WINDOWS_IN_REAL_TIME_MODE"
  )
  check(
    s"SELECT DISTINCT k FROM (SELECT *, $Sum AS s FROM t)",
    "MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE"
  )

  test("an order other than the order of groups") {
    for (order <- Seq("watermark", "arrival")) withConf(MuntinConf.StreamOrder.key -> order) {
      val query = asked(s"SELECT *, $Sum AS s FROM t")(stream.withWatermark("t", "1 second"))
      assertRefused("MUNTIN_REAL_TIME_MODE_REQUIRES_GROUP_ORDER", "order" -> order)(started(query))
    }
  }

  test("Spark's list of operators") {
    withConf("spark.sql.streaming.realTimeMode.allowlistCheck" -> "true") {
      assertRefused(
        "MUNTIN_REAL_TIME_MODE_REQUIRES_SETTING",
        "setting" -> "spark.sql.streaming.realTimeMode.allowlistCheck"
      )(started(asked(s"SELECT *, $Sum AS s FROM t")(stream)))
    }
  }

  test("a join that sorts the stream") {
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      val names = table(Readings, Seq(Row("k1", at(0L), 1, 0.0))).select("k").dropDuplicates()
      val query = asked(s"SELECT *, $Sum AS s FROM t")(stream.join(names, "k"))
      val running = (new Emitted).start(query)
      eventually(assert(!running.isActive))
      assertCondition(running.exception.get, "MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE")
    }
  }
}

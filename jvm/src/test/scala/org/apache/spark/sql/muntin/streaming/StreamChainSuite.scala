package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.Instant

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.types._
import org.scalatest.Assertion

/**
 * Windows over streams above one another, and next to Spark's own stateful operators: equal to a
 * batch.
 */
final class StreamChainSuite extends StreamSession {
  private val schema = StructType(Seq(
    StructField("i", IntegerType),
    StructField("t", TimestampType),
    StructField("k", StringType),
    StructField("j", IntegerType),
    StructField("x", DoubleType),
    StructField("d", DoubleType)
  ))

  override protected val origin: Instant = Instant.parse("2024-02-27T00:00:00Z")

  private def row(i: Int, seconds: Long, random: Random): Row = Row(
    i,
    at(seconds),
    Seq("a", "A", "b", null)(random.nextInt(4)),
    random.nextInt(2),
    Seq[Any](0.0, -0.0, Double.NaN, 1.5, null)(random.nextInt(5)),
    if (random.nextInt(6) == 0) null
    else random.nextGaussian() * math.pow(10.0, random.nextInt(8).toDouble)
  )

  /** Out of order by up to 30 seconds, with ties. */
  private def rows(random: Random, count: Int, step: Long = 3L): Seq[Row] =
    Seq.tabulate(count)(i => row(i, step * i + random.nextInt(30), random))

  /** The last rows advance time past all frames. */
  private def ends(random: Random): Seq[Seq[Row]] =
    Seq(1000000000L, 2000000000L).map(s => Seq(row(-1, s, random)))

  private def check(sql: String, seed: Int, step: Long = 3L, restarts: Set[Int] = Set(1, 3))(
      prepared: DataFrame => DataFrame = identity
  ): Assertion = {
    val random = new Random(seed.toLong)
    val batches = rows(random, 150, step).grouped(50).toSeq ++ ends(random)
    def query(df: DataFrame): DataFrame = asked(sql)(prepared(df))
    val out =
      streamed(schema, batches, restarts)(df => query(df.withWatermark("t", "1 minute"))).flatten
    val wanted = query(table(schema, batches.flatten)).collect().toSeq
    // The ends themselves are not compared.
    val year =
      (r: Row) => r.toSeq.collectFirst { case t: Timestamp => t.toLocalDateTime.getYear }.get
    def told(rows: Seq[Row]) = shown(rows.filter(year(_) == 2024))
    assert(told(wanted).nonEmpty)
    assert(told(out) === told(wanted))
  }

  sampledTest("OVER clauses with several partitions, one of them of the whole stream") {
    check(
      """SELECT i, t, k,
        |  sum(d) OVER (PARTITION BY k ORDER BY t
        |    RANGE BETWEEN INTERVAL 60 SECONDS PRECEDING AND INTERVAL 20 SECONDS FOLLOWING) AS a,
        |  max(d) OVER (PARTITION BY j ORDER BY t
        |    RANGE BETWEEN INTERVAL 10 SECONDS FOLLOWING AND INTERVAL 40 SECONDS FOLLOWING) AS b,
        |  count(d) OVER (ORDER BY t RANGE BETWEEN INTERVAL 5 SECONDS PRECEDING AND CURRENT ROW) AS c,
        |  lag(i, 2) OVER (PARTITION BY j ORDER BY t, i) AS e
        |FROM t""".stripMargin,
      seed = 1
    )()
  }

  sampledTest("keys that are expressions, doubles with two zeros, strings with nulls") {
    check(
      """SELECT i, t,
        |  avg(d) OVER (PARTITION BY lower(k), j + 1 ORDER BY t
        |    RANGE BETWEEN INTERVAL 30 SECONDS PRECEDING AND CURRENT ROW) AS a,
        |  sum(d) OVER (PARTITION BY x ORDER BY t, i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS b,
        |  count(*) OVER (PARTITION BY k, x ORDER BY t) AS c
        |FROM t""".stripMargin,
      seed = 2
    )()
  }

  test("an interval of unknown length: rows are emitted in time for the operators above") {
    // Days, so that months have passed.
    check(
      """SELECT i, t,
        |  sum(d) OVER (PARTITION BY k ORDER BY t
        |    RANGE BETWEEN CURRENT ROW AND INTERVAL '1' MONTH FOLLOWING) AS a,
        |  count(d) OVER (PARTITION BY j ORDER BY t
        |    RANGE BETWEEN INTERVAL '10' DAY PRECEDING AND CURRENT ROW) AS b
        |FROM t""".stripMargin,
      seed = 3,
      step = 43200L
    )()
  }

  sampledTest("OVER over the windows of Spark, and the windows of Spark over OVER") {
    check(
      """SELECT w, k, s, sum(s) OVER (PARTITION BY k ORDER BY w
        |  RANGE BETWEEN INTERVAL 2 MINUTES PRECEDING AND CURRENT ROW) AS r
        |FROM (SELECT window_time(window) AS w, k, s FROM
        |  (SELECT window, k, count(d) AS s FROM t GROUP BY window(t, '20 seconds'), k))""".stripMargin,
      seed = 4
    )()
    check(
      """SELECT window.end AS e, k, max(r) AS m, count(*) AS n
        |FROM (SELECT t, k, sum(j) OVER (PARTITION BY k ORDER BY t
        |  RANGE BETWEEN INTERVAL 60 SECONDS PRECEDING AND INTERVAL 30 SECONDS FOLLOWING) AS r FROM t)
        |GROUP BY window(t, '1 minute'), k""".stripMargin,
      seed = 5
    )()
  }

  // Rows are already partitioned by the keys of OVER: all operators run in one task.
  sampledTest("OVER over the aggregates of Spark by the same keys") {
    check(
      """SELECT w, k, s, sum(s) OVER (PARTITION BY k ORDER BY w
        |  RANGE BETWEEN INTERVAL 2 MINUTES PRECEDING AND CURRENT ROW) AS r
        |FROM (SELECT window_time(session_window) AS w, k, s FROM
        |  (SELECT session_window, k, count(d) AS s FROM t
        |   GROUP BY session_window(t, '5 seconds'), k))
        |""".stripMargin,
      seed = 8
    )()
    check(
      """SELECT w, k, s, count(s) OVER (PARTITION BY window, k ORDER BY w) AS r
        |FROM (SELECT window, window_time(window) AS w, k, s FROM
        |  (SELECT window, k, count(d) AS s FROM t
        |   GROUP BY window(t, '20 seconds'), k))""".stripMargin,
      seed = 9
    )()
  }

  test("distinct rows of a stream with duplicates") {
    check(
      """SELECT i, t, sum(d) OVER (PARTITION BY j ORDER BY t, i ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS r
        |FROM t""".stripMargin,
      seed = 6
    ) { df =>
      val twice = df.union(df)
      if (df.isStreaming) twice.dropDuplicatesWithinWatermark("i") else twice.dropDuplicates("i")
    }
  }

  test("partials in one OVER clause, merged in another") {
    check(
      """SELECT i, t, merge_partial(avg(p)) OVER (PARTITION BY j ORDER BY t
        |    RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW) AS r,
        |  merge_partial(sum(p)) OVER (PARTITION BY j ORDER BY t) AS s
        |FROM (SELECT *, partial(avg(d)) OVER (PARTITION BY k ORDER BY t, i
        |  ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS p FROM t)""".stripMargin,
      seed = 7
    )()
  }

  private val sum = "SELECT i, t, sum(d) OVER (PARTITION BY k ORDER BY t, i) AS r FROM t"

  private def over(sql: String)(df: DataFrame): DataFrame =
    asked(sql)(df.withWatermark("t", "1 minute"))

  test("output mode update: the last answer of each row equals append") {
    val random = new Random(8L)
    val batches = rows(random, 60).grouped(30).toSeq ++ ends(random)
    val appended = streamed(schema, batches)(over(sum)).flatten
    val updated = streamed(schema, batches, outputMode = "update")(over(sum)).flatten
    val last = updated.groupBy(r => (r.get(0), r.get(1))).values.map(_.last).toSeq
    assert(updated.size > appended.size)
    assert(appended.forall(last.contains))
  }

  test("output mode complete is rejected, and update if rows below are emitted more than once") {
    Seq(sum, "SELECT count(*) FROM t GROUP BY field_window(t, 60, 60)").foreach { sql =>
      assertRefused("MUNTIN_COMPLETE_MODE_OF_WINDOWS") {
        streamed(schema, Nil, outputMode = "complete")(over(sql))
      }
    }
    val random = new Random(9L)
    val updated = intercept[Exception] {
      streamed(schema, Seq(rows(random, 10)), outputMode = "update") {
        over(
          """SELECT w, k, sum(s) OVER (PARTITION BY k ORDER BY w) AS r
            |FROM (SELECT window_time(window) AS w, k, s FROM
        |  (SELECT window, k, count(d) AS s FROM t GROUP BY window(t, '20 seconds'), k))""".stripMargin
        )
      }
    }
    assertCondition(
      updated,
      "MUNTIN_REPEATED_ROWS_OF_UPSTREAM_AGGREGATE",
      "function" -> "OVER",
      "outputMode" -> "Update"
    )
  }
}

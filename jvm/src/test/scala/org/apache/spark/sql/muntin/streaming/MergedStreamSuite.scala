package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.plans.logical.StreamWindows
import org.scalatest.Assertion

/**
 * Windows with one PARTITION BY and ORDER BY over a stream run in one stateful operator, in any
 * syntax.
 */
final class MergedStreamSuite extends StreamSession {
  import StreamSession.Readings

  private val w = "PARTITION BY k ORDER BY t"
  private val minute = s"$w RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW"
  private val ahead = s"$w RANGE BETWEEN CURRENT ROW AND INTERVAL 20 SECONDS FOLLOWING"

  private def chained(columns: String*)(from: DataFrame): DataFrame =
    columns.zipWithIndex.foldLeft(from) { case (df, (c, i)) => df.withColumn(s"c$i", expr(c)) }

  private def stream: DataFrame = new Source(Readings).rows.withWatermark("t", "30 seconds")

  private def operators(query: DataFrame => DataFrame): Int =
    query(stream).queryExecution.analyzed.collect { case node: StreamWindows => node }.size

  /** Out of order by up to 20 seconds; the last rows advance time past all frames. */
  private def batches(seed: Int): Seq[Seq[Row]] = {
    val random = new Random(seed.toLong)
    val rows = Seq.tabulate(120) { i =>
      Row(
        Seq("a", "A", "b", null)(random.nextInt(4)),
        at(10L + 2L * i + random.nextInt(20)),
        i,
        if (random.nextInt(6) == 0) null else random.nextInt(100) / 4.0
      )
    }
    rows.grouped(25).toSeq ++ Seq(1000000L, 2000000L).map(s => Seq(Row("z", at(s), -1, 0.0)))
  }

  /** Rows of one time in one micro-batch, as the order of arrival requires of peers. */
  private def inOrder(batches: Seq[Seq[Row]]): Seq[Seq[Row]] =
    batches.flatten.groupBy(_.getTimestamp(1).getTime / 60000L).toSeq.sortBy(_._1)
      .map(_._2.sortBy(_.getTimestamp(1).getTime))

  /**
   * Asserts this number of operators and the results of a batch, in both orders; `i` is a column of
   * the result. The query must distinguish rows of one time.
   */
  private def check(expected: Int)(query: DataFrame => DataFrame): Assertion = {
    assert(operators(query) === expected, query(stream).queryExecution.analyzed)
    val all = batches(expected + 7)
    def told(rows: Seq[Row]) = shown(rows.filter(_.getAs[Int]("i") >= 0))
    def run(batches: Seq[Seq[Row]]) = {
      var seen = Set.empty[Int]
      val out = streamed(
        Readings,
        batches,
        Set(2),
        p => if (p.stateOperators.nonEmpty) seen += p.stateOperators.length
      )(df => query(df.withWatermark("t", "30 seconds"))).flatten
      assert(seen === Set(expected))
      told(out)
    }
    val wanted = told(query(table(Readings, all.flatten)).collect().toSeq)
    assert(wanted.size > 100)
    assert(run(all) === wanted)
    withConf(MuntinConf.StreamOrder.key -> "arrival") {
      assert(operators(query) === expected)
      assert(run(inOrder(all)) === wanted)
    }
  }

  private val mixed = Seq(
    s"sum(d) OVER ($minute)",
    s"count(*) OVER ($ahead)",
    s"max(d) OVER ($minute)"
  )

  sampledTest("one after the other, with frames by time") {
    check(1)(chained(mixed: _*))
    check(1)(_.selectExpr("*", s"${mixed(0)} AS a", s"${mixed(1)} AS b", s"${mixed(2)} AS c"))
  }

  sampledTest("rows, functions around an aggregate, lag, ranks") {
    val wi = "PARTITION BY k ORDER BY t, i"
    check(1)(chained(
      s"sum(d) OVER ($wi ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
      s"sliding(avg(d), 3, d > 5) OVER ($wi)",
      s"since(count(*), d > 20) OVER ($wi)",
      s"lag(d) OVER ($wi)",
      s"rank() OVER ($wi)",
      s"framed(max(d), complete => true) OVER ($wi ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)"
    ))
  }

  sampledTest("numbers as times, as in DataFrame code") {
    def range(n: Long) =
      s"PARTITION BY k ORDER BY row_time(t) RANGE BETWEEN ${n * 1000000L} PRECEDING AND CURRENT ROW"
    check(1)(chained(
      s"sum(d) OVER (${range(60)})",
      s"max(d) OVER (${range(20)})",
      s"count(d) OVER ($minute)",
      s"min(d) OVER (PARTITION BY k ORDER BY unix_micros(t) RANGE BETWEEN 9000000 PRECEDING AND CURRENT ROW)"
    ))
    check(1)(_.selectExpr(
      "i",
      s"sum(d) OVER (${range(60)}) AS a",
      s"max(d) OVER (${range(20)}) AS b"
    ))
  }

  sampledTest("keys and values that are expressions") {
    val keyed =
      "PARTITION BY upper(k), i % 2 ORDER BY t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW"
    check(1)(chained(
      s"sum(d * 2) OVER ($keyed)",
      s"max(d + 1) OVER ($keyed)",
      "count(*) OVER (PARTITION BY i % 2, upper(k) ORDER BY t)"
    ))
    check(1)(df =>
      df.withColumn("a", expr(mixed(0)))
        .withColumn("twice", expr("d * 2"))
        .withColumn("more", expr("twice + 1"))
        .withColumn("b", expr(s"sum(more) OVER ($minute)"))
        .withColumn("d", expr("d + 100"))
        .withColumn("c", expr(s"sum(d) OVER ($minute)"))
    )
    check(1)(chained(
      "sum(i) OVER (PARTITION BY d ORDER BY t)",
      "count(*) OVER (PARTITION BY d ORDER BY t)"
    ))
  }

  sampledTest("other names, subqueries, WITH, views") {
    check(1)(asked(
      s"""SELECT i, b, a, count(*) OVER (PARTITION BY part ORDER BY at) AS c
         |FROM (SELECT i, k AS part, t AS at, a, sum(d) OVER ($minute) AS b
         |  FROM (SELECT *, max(d) OVER ($ahead) AS a FROM t) AS low)""".stripMargin
    ))
    check(1)(asked(
      s"""WITH one AS (SELECT *, sum(d) OVER ($minute) AS a FROM t),
         |two AS (SELECT *, max(d) OVER ($minute) AS b FROM one)
         |SELECT i, a, b, count(*) OVER ($minute) AS c FROM two""".stripMargin
    ))
    check(1) { df =>
      asked(s"SELECT *, sum(d) OVER ($minute) AS a FROM t")(df).createOrReplaceTempView("seen")
      spark.sql("CREATE OR REPLACE TEMP VIEW beyond AS SELECT i, k, t, a, d AS e FROM seen")
      spark.sql(s"SELECT i, a, max(e) OVER ($minute) AS b FROM beyond")
    }
    check(1)(df =>
      chained(mixed(0))(df).as("x").select(
        col("x.i"),
        col("k"),
        col("t"),
        col("x.d").as("e"),
        col("c0")
      )
        .withColumn("b", expr(s"max(e) OVER ($minute)"))
        .drop("t", "k").withColumn("j", expr("i + 1"))
    )
  }

  sampledTest("past windows with other keys") {
    val other = "PARTITION BY i % 2 ORDER BY t"
    check(2)(chained(
      s"sum(d) OVER ($minute)",
      s"max(d) OVER ($other)",
      s"count(*) OVER ($minute)",
      s"min(d) OVER ($other)"
    ))
  }

  test(
    "a frame that waits for rows stays above windows with other keys, and joins equal keys"
  ) {
    val next = "lead(d) OVER (PARTITION BY k ORDER BY t, i)"
    assert(operators(chained(
      "sum(d) OVER (PARTITION BY k ORDER BY t, i)",
      "max(d) OVER (PARTITION BY i % 2 ORDER BY t)",
      next
    )) === 3)
    assert(operators(chained(next, "sum(d) OVER (PARTITION BY k ORDER BY t, i)")) === 1)
    assert(operators(chained(
      "sum(d) OVER (PARTITION BY k ORDER BY t, i)",
      next,
      "max(d) OVER (PARTITION BY i % 2 ORDER BY t)"
    )) === 2)
  }

  sampledTest("a window that reads the result of another window is above it") {
    check(2)(chained(mixed(0), s"max(c0) OVER ($minute)"))
    check(2)(chained(mixed(0), s"max(c0 + d) OVER ($minute)", s"sum(i) OVER ($minute)"))
  }

  sampledTest("not past a filter, or expressions that cannot be computed again") {
    check(2)(df =>
      chained(s"max(i) OVER ($minute)")(df).where("c0 >= 0").withColumn("b", expr(mixed(0)))
    )
    check(2)(df =>
      df.withColumn("a", expr(mixed(0))).withColumn("r", expr("rand(1) * 0"))
        .withColumn("b", expr(s"sum(r) OVER ($minute)"))
    )
  }

  sampledTest("a join of such a query with itself") {
    def sides(df: DataFrame) = {
      val one = chained(s"sum(d) OVER ($minute)", s"sum(d * 2) OVER ($minute)")(df)
      one.as("l").join(one.as("r"), expr("l.i = r.i AND l.t = r.t"))
        .selectExpr("l.i AS i", "l.c0 AS a", "r.c0 AS b", "r.c1 AS c")
    }
    val all = batches(3)
    val out =
      streamed(Readings, all)(df => sides(df.withWatermark("t", "30 seconds"))).flatten
    val wanted = sides(table(Readings, all.flatten)).collect().toSeq
    def told(rows: Seq[Row]) = shown(rows.filter(_.getInt(0) >= 0))
    assert(told(out) === told(wanted))
  }

  /**
   * Runs each query over its micro-batches, stops it, and resumes the next query from its
   * checkpoint.
   */
  private def inTurn(queries: (DataFrame => DataFrame, Seq[Seq[Row]])*): Seq[Row] = {
    val source = new Source(Readings)
    val answers = new Answers()
    queries.flatMap { case (query, rows) =>
      val running = answers.start(query(source.rows.withWatermark("t", "30 seconds")))
      try rows.foreach { batch =>
          source.add(batch)
          running.processAllAvailable()
        }
      finally running.stop()
      answers.next()
    }
  }

  private val computed =
    Seq(s"sum(d * 2) OVER ($minute)", s"max(d) OVER ($minute)", s"min(d + i) OVER ($minute)")

  private def told(rows: Seq[Row]): Seq[String] = shown(rows.filter(_.getInt(0) >= 0))

  test("a query resumes from its checkpoint if it is written in another way") {
    val all = batches(12)
    val select = computed.zipWithIndex.map { case (c, i) => s"$c AS c$i" }
    val one = (df: DataFrame) => chained(computed: _*)(df).selectExpr("i", "c0", "c1", "c2")
    val other = (df: DataFrame) => df.selectExpr("i" +: select: _*)
    val inSql = asked(s"SELECT i, ${select.mkString(", ")} FROM t AS of_another_name") _
    val out = inTurn(
      (one, all.take(2)),
      (other, all.slice(2, 3)),
      (inSql, all.slice(3, 4)),
      (one, all.drop(4))
    )
    assert(told(out) === told(one(table(Readings, all.flatten)).collect().toSeq))
  }

  for {
    (title, now, property, stored, current) <- Seq(
      (
        "a function more",
        computed :+ s"count(d) OVER ($minute)",
        "function 4",
        "none",
        "count(d) OVER (PARTITION BY k ORDER BY t"
      ),
      ("a function less", computed.init, "function 3", "min(`(d + i)`)", "none"),
      (
        "another expression in a function",
        computed.map(_.replace("d * 2", "d * 3")),
        "function 1",
        "sum(`(d * 2)`)",
        "sum(`(d * 3)`)"
      )
    )
  }
    test(s"a checkpoint and a query with $title: the error shows the difference") {
      val all = batches(11)
      val before = (df: DataFrame) => chained(computed: _*)(df)
      val error = intercept[Exception] {
        inTurn((before, all.take(2)), (df => chained(now: _*)(df), all.slice(2, 4)))
      }
      val found = parametersOf(error, "MUNTIN_CHECKPOINT_OF_OTHER_QUERY")
      assert(found("property") === property)
      assert(found("stored").startsWith(stored) && found("current").startsWith(current), found)
    }
}

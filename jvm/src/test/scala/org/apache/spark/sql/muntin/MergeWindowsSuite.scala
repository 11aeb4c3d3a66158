package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec
import org.apache.spark.sql.muntin.plans.over.MergeWindows
import org.scalatest.Assertion

/** Windows with one PARTITION BY and ORDER BY run in one operator over one sort, in any syntax. */
final class MergeWindowsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 120, seed = 5)
  }

  private val hour = "PARTITION BY k ORDER BY row_time(ts)"
  private val lastHour = s"$hour RANGE BETWEEN 3600000000 PRECEDING AND CURRENT ROW"
  private val lastDay = s"$hour RANGE BETWEEN 86400000000 PRECEDING AND CURRENT ROW"

  /** Adds columns one after the other, each to all previous columns. */
  private def chained(columns: String*)(from: DataFrame): DataFrame =
    columns.zipWithIndex.foldLeft(from) { case (df, (c, i)) => df.withColumn(s"c$i", expr(c)) }

  private def t: DataFrame = spark.table("t")
    .select("id", "k", "flag", "s", "i32", "i64", "y", "day", "ts")

  private def sorts(df: DataFrame): Int =
    nodes(df) { case s: SparkPlan if isSort(s) => s }.size

  private def isSort(plan: SparkPlan): Boolean = plan match {
    case _: MuntinSortExec | _: SortExec => true
    case _ => false
  }

  private def shuffles(df: DataFrame): Int = nodes(df) { case s: ShuffleExchangeLike => s }.size

  /** Asserts equal rows with one operator per window, from this number of operators and sorts. */
  private def check(operators: Int, sorted: Int)(query: => DataFrame): Assertion = {
    val muntins = checkOperators(operators)(query)
    assert(sorts(muntins) === sorted, muntins.queryExecution.executedPlan)
  }

  private def checkOperators(operators: Int)(query: => DataFrame): DataFrame = {
    def rows(df: DataFrame) = df.collect().map(_.toString).sorted.mkString("\n")
    val apart = withConf("spark.sql.optimizer.excludedRules" -> MergeWindows.ruleName)(rows(query))
    val muntins = query
    assert(apart.linesIterator.size > 10)
    assert(rows(muntins) == apart)
    assert(muntins.schema === withMuntin(enabled = false)(query.schema))
    assert(muntins.queryExecution.optimizedPlan.output.map(_.name) === muntins.columns.toSeq)
    assert(muntinNodes(muntins).size === operators, muntins.queryExecution.executedPlan)
    muntins
  }

  test("an order that is an expression") {
    check(1, 1)(chained(
      s"sum(i64) OVER ($lastHour)",
      s"max(y) OVER ($lastDay)",
      s"count(*) OVER ($lastHour)"
    )(t))
    check(1, 1)(chained(
      "sum(i64) OVER (PARTITION BY k ORDER BY cast(ts AS long), id)",
      "lag(y) OVER (PARTITION BY k ORDER BY cast(ts AS long), id)"
    )(t))
  }

  test("in one select") {
    check(1, 1)(t.selectExpr(
      "id",
      s"sum(i64) OVER ($lastHour) AS a",
      s"max(y) OVER ($lastDay) AS b",
      s"sum(i32) OVER ($lastHour) + k AS c"
    ))
    check(1, 1)(t.selectExpr(
      "id",
      "sum(i64) OVER (PARTITION BY upper(s) ORDER BY id) AS a",
      "max(y) OVER (PARTITION BY upper(s) ORDER BY id) AS b"
    ))
  }

  test("keys that are expressions, in any order") {
    check(1, 1)(chained(
      "sum(i64) OVER (PARTITION BY upper(s), k ORDER BY id)",
      "max(y) OVER (PARTITION BY upper(s), k ORDER BY id)",
      "min(y) OVER (PARTITION BY k, upper(s) ORDER BY id)"
    )(t))
  }

  test("keys that are expressions, or other columns: one exchange for windows of several orders") {
    def checkShared(windows: Int, columns: String*): Assertion = {
      check(windows, windows)(chained(columns: _*)(t))
      val made = chained(columns: _*)(t)
      assert(shuffles(made) === 1)
      val inParts = nodes(made) { case s: MuntinSortExec => s.simpleString(100) }
        .count(_.endsWith("part by part"))
      assert(inParts === windows - 1)
    }
    checkShared(
      3,
      "sum(i64) OVER (PARTITION BY upper(s), k ORDER BY id)",
      "rank() OVER (PARTITION BY upper(s), k ORDER BY y, id)",
      "count(*) OVER (PARTITION BY k, upper(s) ORDER BY ts, id ROWS 3 PRECEDING)"
    )
    checkShared(
      2,
      "sum(i64) OVER (PARTITION BY k, flag ORDER BY id)",
      "row_number() OVER (PARTITION BY flag, k ORDER BY y, id)"
    )
    val renamed = t.withColumn("a", expr("sum(i64) OVER (PARTITION BY k ORDER BY id)"))
      .selectExpr("*", "k AS part")
      .withColumn("b", expr("lag(a) OVER (PARTITION BY part ORDER BY y, id)"))
    check(2, 2)(renamed)
    assert(shuffles(renamed) === 1)
  }

  test("keys are not carried past a window with other keys") {
    val columns = Seq(
      "sum(i64) OVER (PARTITION BY upper(s) ORDER BY id)",
      "sum(i64) OVER (PARTITION BY k ORDER BY id)",
      "rank() OVER (PARTITION BY upper(s) ORDER BY y, id)"
    )
    check(3, 3)(chained(columns: _*)(t))
    val made = chained(columns: _*)(t)
    assert(shuffles(made) === 3)
    assert(muntinNodes(made).map(_.child.output.size).max === t.columns.length + 3)
  }

  test("values that are expressions of the rows below") {
    check(1, 1)(chained(
      "sum(i64) OVER (PARTITION BY k ORDER BY id)",
      "sum(i64 * 2) OVER (PARTITION BY k ORDER BY id)",
      "max(i64 * 2) FILTER (WHERE i32 + 1 > 0) OVER (PARTITION BY k ORDER BY id)"
    )(t))
    check(1, 1)(
      t.withColumn("a", expr(s"sum(i64) OVER ($lastHour)"))
        .withColumn("double", expr("i64 * 2"))
        .withColumn("more", expr("double + 1"))
        .withColumn("b", expr(s"sum(more) OVER ($lastDay)"))
    )
  }

  test("renamed columns, subqueries, WITH, views") {
    check(1, 1)(spark.sql(
      s"""SELECT *, max(i64) OVER (PARTITION BY part ORDER BY row_time(at)
         |  RANGE BETWEEN 3600000000 PRECEDING AND CURRENT ROW) AS b
         |FROM (SELECT id, k AS part, ts AS at, i64, sum(i64) OVER ($lastHour) AS a FROM t)""".stripMargin
    ))
    t.createOrReplaceTempView("u")
    check(1, 1)(spark.sql(
      s"""WITH one AS (SELECT *, sum(i64) OVER ($lastHour) AS a FROM u),
         |two AS (SELECT *, sum(y) OVER ($lastDay) AS b FROM one)
         |SELECT id, a, b, count(*) OVER ($lastHour) AS c FROM two""".stripMargin
    ))
    chained(s"sum(i64) OVER ($lastHour)")(t).createOrReplaceTempView("seen")
    check(1, 1)(spark.sql(s"SELECT *, max(y) OVER ($lastDay) AS b FROM seen"))
  }

  test("times, and numbers that represent times") {
    val rows = "framed(sum(i64), complete => true) OVER " +
      "(PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"
    val ranked = "rank() OVER (PARTITION BY k ORDER BY ts)"
    check(1, 1)(chained(s"sum(i64) OVER ($lastHour)", ranked, rows)(t.where("ts IS NOT NULL")))
    check(1, 1)(chained(rows, ranked, s"sum(i64) OVER ($lastHour)")(t))
    check(1, 1)(chained(ranked, s"max(ts) OVER ($lastDay)", rows)(t))
    check(
      1,
      1
    )(t.selectExpr("id", s"$ranked AS a", s"sum(i64) OVER ($lastHour) AS b", s"$rows AS c"))
    check(1, 1)(chained(
      "sum(i64) OVER (PARTITION BY k ORDER BY day)",
      "count(*) OVER (PARTITION BY k ORDER BY row_time(day) RANGE BETWEEN 86400000000 PRECEDING AND CURRENT ROW)"
    )(t))
    check(1, 1)(chained(
      "sum(i64) OVER (PARTITION BY k ORDER BY unix_micros(ts))",
      s"count(*) OVER ($lastHour)"
    )(t))
    // Each of the two frames reads its own values.
    check(2, 2)(chained(
      s"sum(i64) OVER ($lastHour)",
      "sum(i64) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW)"
    )(t))
    // Days do not have the order of the times from which they are computed.
    check(2, 2)(chained(
      s"sum(i64) OVER ($lastHour)",
      "count(*) OVER (PARTITION BY k ORDER BY cast(ts AS date))"
    )(t))
    check(2, 2)(chained(
      s"sum(i64) OVER ($lastHour)",
      "count(*) OVER (PARTITION BY k ORDER BY ts DESC)"
    )(t))
  }

  test("past windows with another order") {
    check(2, 2)(chained(
      "sum(i64) OVER (PARTITION BY k ORDER BY id)",
      "max(y) OVER (PARTITION BY flag ORDER BY id)",
      "count(s) OVER (PARTITION BY k ORDER BY id)",
      "count(y) OVER (PARTITION BY flag ORDER BY id)"
    )(t))
  }

  test("a window that reads the result of another window shares its sort") {
    check(2, 1)(chained(s"sum(i64) OVER ($lastHour)", s"max(c0) OVER ($lastDay)")(t))
    check(2, 1)(chained(
      "sum(i64) OVER (PARTITION BY upper(s) ORDER BY row_time(ts))",
      "max(c0 + 1) OVER (PARTITION BY upper(s) ORDER BY row_time(ts))"
    )(t))
    check(2, 1)(chained(
      "sum(i64) OVER (PARTITION BY k ORDER BY ts)",
      s"max(c0) OVER ($lastHour)"
    )(t))
    // A window above both is in one of them.
    check(2, 1)(chained(
      s"sum(i64) OVER ($lastHour)",
      s"max(c0) OVER ($lastDay)",
      s"max(y) OVER ($lastDay)"
    )(t))
  }

  test("not past operators that change the rows, or expressions that cannot be computed again") {
    val first = t.withColumn("a", expr(s"sum(i64) OVER ($lastHour)"))
    check(2, 2)(first.where("a > 0").withColumn("b", expr(s"sum(i64) OVER ($lastHour)")))
    check(2, 2)(first.withColumn("e", expr("explode(array(1, 2))"))
      .withColumn("b", expr(s"sum(i64) OVER ($lastHour)")))
    def random = first.withColumn("r", expr("rand(1) * 0"))
      .withColumn("b", expr(s"sum(r) OVER ($lastHour)"))
    check(2, 1)(random)
  }

  test("windows that Muntin does not run are unchanged") {
    def plan = chained(
      "sparks_own(i64) OVER (PARTITION BY k ORDER BY row_time(ts))",
      "sparks_own(i32) OVER (PARTITION BY k ORDER BY row_time(ts))"
    )(t).queryExecution.optimizedPlan
    def nodes = plan.collect { case w: Window => w }.size
    assert(nodes === 2)
    assert(muntinNodes(chained("sparks_own(i64) OVER (PARTITION BY k ORDER BY id)")(t)).isEmpty)
  }

  private val keys = Seq(
    Seq("PARTITION BY k", "PARTITION BY k + 1", "PARTITION BY part"),
    Seq("PARTITION BY upper(s), flag", "PARTITION BY flag, upper(s)", "PARTITION BY big, flag")
  )
  private val orders = Seq(
    Seq(
      "ORDER BY row_time(ts), id",
      "ORDER BY ts, id",
      "ORDER BY at, id",
      "ORDER BY unix_micros(at), id"
    ),
    Seq("ORDER BY id", "ORDER BY number")
  )
  private val aggregates =
    Seq("sum(i64)", "count(y)", "max(i64 * 2)", "min(more)", "last(y)", "sum(i32 + k)")

  for (seed <- Repeats.seeds(12))
    test(s"random syntax, $seed") {
      val random = new Random(seed.toLong)
      def pick[T](values: Seq[T]) = values(random.nextInt(values.size))
      val chosen = Seq.fill(2 + random.nextInt(4))((random.nextInt(2), random.nextInt(2)))
      val columns = chosen.map { case (key, order) =>
        s"${pick(aggregates)} OVER (${pick(keys(key).drop(if (key == 0) 2 * random.nextInt(2) else 0))} " +
          s"${pick(orders(order))} ROWS BETWEEN ${random.nextInt(4)} PRECEDING AND CURRENT ROW)"
      }
      val ways = columns.indices.map(_ => random.nextInt(3))
      def query = columns.zip(ways).zipWithIndex.foldLeft(
        t.selectExpr(
          "*",
          "k AS part",
          "upper(s) AS big",
          "ts AS at",
          "id AS number",
          "i64 + 1 AS more"
        )
      ) { case (df, ((column, way), i)) =>
        way match {
          case 0 => df.withColumn(s"c$i", expr(column))
          case 1 =>
            df.select(expr("*"), expr(column).as(s"c$i")).withColumn(s"e$i", expr("i64 * 3"))
          case _ =>
            df.createOrReplaceTempView("below")
            spark.sql(s"WITH w AS (SELECT *, $column AS c$i FROM below) SELECT * FROM w")
        }
      }
      // k + 1 is computed, so it is another key than k.
      val different = chosen.zip(columns).map { case ((key, order), c) =>
        (if (c.contains("k + 1")) -1 else key, order)
      }.distinct.size
      checkOperators(different)(query): Unit
    }

  test("each key in one task, once") {
    val query = chained(
      "sum(i64) OVER (PARTITION BY upper(s) ORDER BY row_time(ts))",
      "max(c0) OVER (PARTITION BY upper(s) ORDER BY row_time(ts))"
    )(t)
    query.collect(): Unit
    assert(shuffles(query) === 1)
  }

  test("with Muntin's operator off, plans equal stock Spark's plans") {
    def plan = chained(s"sum(i64) OVER ($lastHour)", s"max(y) OVER ($lastDay)")(t)
      .queryExecution.optimizedPlan.canonicalized
    withMuntin(enabled = false) {
      val off = plan
      withConf("spark.sql.optimizer.excludedRules" -> MergeWindows.ruleName) {
        assert(plan === off)
      }
    }
  }

  test("a self-join keeps its columns distinct") {
    val left = chained(s"sum(i64) OVER ($lastHour)", s"sum(i64 * 2) OVER ($lastDay)")(t)
    def joined = left.as("l").join(left.as("r"), expr("l.id = r.id"))
      .selectExpr("l.id", "l.c0 AS a", "r.c1 AS b", "l.c0 = r.c0 AND l.c1 <=> r.c1 AS same")
    check(2, 2)(joined)
    assert(joined.queryExecution.optimizedPlan.output.forall(_.isInstanceOf[Attribute]))
  }
}

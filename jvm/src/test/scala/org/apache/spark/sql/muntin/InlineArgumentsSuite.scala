package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.{Encoders, Row}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{expr, udf}
import org.apache.spark.sql.muntin.plans.over.InlineArguments
import org.scalatest.Assertion

/** The operator computes the arguments of window functions, so that no column carries them. */
final class InlineArgumentsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 120, seed = 11)
    spark.udf.register("twice", udf((x: Int) => 2 * x)): Unit
  }

  private val w = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)"
  private val reversed = "OVER (PARTITION BY k ORDER BY id DESC)"

  private def plan(df: DataFrame): LogicalPlan = df.queryExecution.optimizedPlan

  /** Asserts equal rows with and without the rule, from a plan with this number of projections. */
  private def check(projections: Int)(query: => DataFrame): Assertion = {
    def rows(df: DataFrame) = df.collect().map(_.toString).sorted.mkString("\n")
    val excluded = "spark.sql.optimizer.excludedRules" -> InlineArguments.ruleName
    val apart = withConf(excluded)(rows(query))
    val inlined = query
    assert(apart.linesIterator.size > 5)
    assert(rows(inlined) == apart)
    assert(inlined.schema === withConf(excluded)(query.schema))
    assert(projectionsOf(inlined) === projections, plan(inlined))
  }

  private def projectionsOf(df: DataFrame): Int = plan(df).collect { case p: Project => p }.size

  private def all(columns: String): DataFrame =
    spark.sql(s"SELECT id, k, flag, i32, i64, y, s, $columns FROM t")

  // The table has more columns, so a projection above it selects columns.
  private val picking = 1

  test("an argument is computed by the operator that reads it") {
    check(picking)(all(s"sum(i32 * 2) $w AS a, avg(y + i32) $w AS b"))
    check(picking)(all(s"sum(CASE WHEN s = 'a' THEN i32 ELSE 0 END) $w AS a"))
    check(picking)(all(s"count(if(s IN ('a', 'b'), 1, NULL)) $w AS a, max(abs(y)) $w AS b"))
    check(picking)(all(s"lag(i32 + 1) $w AS a, last(y * y, true) $w AS b".replace(w, reversed)))
    check(picking)(all(s"median(y / 2) $w AS a, count(DISTINCT i32 % 3) $w AS b"))
    check(picking)(all(s"sum(i32 + 1) FILTER (WHERE y + 1 > 0) $w AS a"))
  }

  // The table has no further column, so no projection is above the windows.
  private val computed = Seq(
    "id, k, y, y + 1 AS more, sum(y) OVER (PARTITION BY k ORDER BY id) AS s",
    "id, k, y * 2 AS y, sum(y) OVER (PARTITION BY k ORDER BY id) AS s",
    "id, k, y + 1 AS more, sum(y + 1) OVER (PARTITION BY k ORDER BY id) AS s",
    "id, k, y, id % 5 AS part, sum(y) OVER (PARTITION BY k ORDER BY id) AS s",
    "*, sum(y) OVER (PARTITION BY k ORDER BY id) AS a, max(y) OVER (ORDER BY id) AS b, " +
      "avg(y) OVER (PARTITION BY k ORDER BY id) AS c",
    "*, size(collect_set(y) OVER (PARTITION BY k ORDER BY id)) AS a, y > 0 AS b",
    "id, k, y, c FROM (SELECT *, y * 2 AS z, row_number() OVER (PARTITION BY k ORDER BY id) AS n, " +
      "min(y * 2) OVER (PARTITION BY k ORDER BY id) AS c FROM narrow) WHERE n < 9"
  )

  private val sinks: Seq[(String, DataFrame => DataFrame)] = Seq(
    "a query" -> (query => query),
    "a table" -> { query =>
      query.write.saveAsTable("inlined")
      spark.table("inlined")
    },
    "INSERT" -> { query =>
      query.limit(0).write.saveAsTable("inlined")
      query.write.insertInto("inlined")
      spark.table("inlined")
    },
    "UNION ALL" -> (query => query.union(query.where("id > 20"))),
    "UNION ALL, the other side" -> (query => query.where("id > 20").union(query)),
    "a cache" -> (_.cache()),
    "EXCEPT" -> (query => query.except(query.where("id > 100"))),
    "DISTINCT" -> (_.distinct()),
    "a join" -> (query => query.join(query.selectExpr("id AS other"), expr("id = other"))),
    "a semi-join" -> (query =>
      query.join(query.selectExpr("id AS other"), expr("id = other"), "semi")
    ),
    "LIMIT" -> (_.orderBy("id").limit(30)),
    "typed rows" -> (query => query.map((row: Row) => row.mkString(" "))(Encoders.STRING).toDF()),
    "an exchange" -> (_.repartition(3))
  )

  for ((name, sink) <- sinks)
    test(s"columns keep their places in $name") {
      // All columns of the table.
      spark.sql("SELECT id, k, y FROM t").write.saveAsTable("narrow")
      try
        for (columns <- computed) {
          def rows(enabled: Boolean) = withMuntin(enabled) {
            val query = if (columns.contains(" FROM ")) columns else s"$columns FROM narrow"
            try sink(spark.sql(s"SELECT $query")).collect().map(_.toString).sorted.toSeq
            finally {
              spark.catalog.clearCache()
              spark.sql("DROP TABLE IF EXISTS inlined"): Unit
            }
          }
          assert(rows(enabled = true) === rows(enabled = false), columns)
        }
      finally spark.sql("DROP TABLE narrow"): Unit
    }

  test("only for the rows that pass a filter") {
    def made = all(s"sum(10 / i32) FILTER (WHERE i32 <> 0) $w AS a")
    assert(made.collect().length === 120)
    // Stock Spark divides in a projection below.
    val error = withMuntin(enabled = false)(intercept[Exception](made.collect()))
    assert(Outcome.Failed(error).condition === "DIVIDE_BY_ZERO")
  }

  test("through windows of other orders, filters, and dropped columns") {
    check(picking)(all(s"sum(i32 * 2) $w AS a, sum(i32 * 3) $reversed AS b"))
    check(picking + 1)(all(s"sum(i32 * 2) $w AS a, sum(i32 * 3) $reversed AS b").select("k", "b"))
    check(picking)(all(s"sum(i32 * 2) $w AS a, sum(i32 * 3) $reversed AS b").where("a > 0"))
    check(picking)(all(s"sum(i32 * 2) $w AS a")
      .groupBy("k").agg(expr("sum(a)"), expr("count(i32)"), expr("max(id)")))
  }

  test("of the results of a window") {
    val gaps = all(s"lag(i32) $reversed AS before")
    check(picking)(gaps.selectExpr("*", s"sum(if(i32 - before > 5, 1, 0)) $reversed AS b"))
  }

  test("a column with other readers remains") {
    val twice = all(s"i32 * 2 AS twice")
    check(picking)(twice.selectExpr("*", s"sum(twice) $w AS a"))
    check(picking)(twice.selectExpr("id", "k", "i32", s"sum(twice) $w AS a").where("a > 0"))
    check(2)(all(s"sum(i32) OVER (PARTITION BY k + 1 ORDER BY id) AS a"))
    check(2)(all(s"sum(k + 1) OVER (PARTITION BY k + 1 ORDER BY id) AS a"))
    check(2)(all(s"sum(y) OVER (PARTITION BY k ORDER BY id * 2) AS a"))
  }

  test("a column that is smaller than its inputs remains") {
    check(2)(spark.sql(s"SELECT id, k, sum(i32 + i16) $w AS a FROM t"))
    check(2)(spark.sql(s"SELECT id, k, max(s < 'b') $w AS a FROM t"))
    // Not more bytes: its input is carried, and is dropped like the column.
    check(2)(spark.sql(s"SELECT id, k, sum(i32 + 1) $w AS a FROM t"))
    def sums = spark.sql(s"SELECT id, k, sum(i32 + 1) $w AS a, sum(i32 + i16) $w AS b FROM t")
    check(2)(sums)
    assert(computed(sums) === Seq.empty)
    def mixed = spark.sql(s"SELECT id, k, i32, sum(i32 * 2) $w AS a, max(s < 'b') $w AS b FROM t")
    check(2)(mixed)
    assert(computed(mixed).size === 1)
  }

  /** Returns the expressions that the projections below windows compute. */
  private def computed(df: DataFrame): Seq[String] = plan(df).collect {
    case Window(_, _, _, p: Project, _) => p.projectList.filter(_.children.nonEmpty).map(_.sql)
  }.flatten

  test("expensive or nondeterministic expressions stay below the exchange") {
    check(2)(all(s"sum(twice(i32)) $w AS a"))
    check(2)(all(s"max(length(upper(s))) $w AS a"))
    check(2)(all(s"max(regexp_count(s, 'a')) $w AS a"))
    check(2)(all(s"sum(i32 + cast(rand(1) * 0 AS int)) $w AS a"))
    check(2)(all(s"sum(i32 + (SELECT max(id) FROM t)) $w AS a"))
  }

  test("functions that Spark runs read columns") {
    def windows(df: DataFrame) = plan(df).collect { case x: Window => x.windowExpressions }.flatten
    val sparks = all(s"sparks_own(i64 + 1) $w AS a, sum(i64 + 1) $w AS b")
    sparks.collect(): Unit
    assert(!windows(sparks).exists(_.sql.contains("+ 1")), plan(sparks))
    val both = all(s"sparks_own(i64 + 1) $w AS a, sum(i64 + 2) $w AS b")
    both.collect(): Unit
    assert(windows(both).count(_.sql.contains("+ 2")) === 1, plan(both))
  }

  test("with Muntin's operator off, plans equal stock Spark's plans") {
    def query = plan(all(s"sum(i32 * 2) $w AS a")).canonicalized
    withMuntin(enabled = false) {
      val off = query
      withConf("spark.sql.optimizer.excludedRules" -> InlineArguments.ruleName) {
        assert(query === off)
      }
    }
  }

  private val values = Seq(
    "i32 * 2",
    "i32 + i8",
    "coalesce(y, 0D)",
    "if(flag, i32, NULL)",
    "d18 + 1",
    "d38 * 2",
    "ts + INTERVAL 1 HOUR",
    "date_trunc('DAY', ts)",
    "hour(ts)",
    "datediff(ts, day)",
    "(s = 'a')",
    "CASE WHEN s > 'a' THEN y WHEN i32 > 0 THEN -y END",
    "concat(s, 'x')",
    "st.a + 1",
    "-wild",
    "isnull(i8)",
    "array(i32)"
  )
  private val functions =
    Seq("count", "max", "min", "first", "last", "any_value", "lag", "collect_list")

  for (seed <- Repeats.seeds(10))
    test(s"random queries, $seed") {
      val random = new Random(seed.toLong)
      def pick[T](some: Seq[T]) = some(random.nextInt(some.size))
      val frames = Seq("", " ROWS 2 PRECEDING", " ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING")
      def column = {
        val function = pick(functions)
        val filter =
          if (function != "lag" && random.nextInt(3) == 0)
            s" FILTER (WHERE ${pick(values)} IS NOT NULL)"
          else ""
        val frame = if (function == "lag") "" else pick(frames)
        val order = pick(Seq("id", "id DESC"))
        s"$function(${pick(values)})$filter OVER (PARTITION BY k ORDER BY $order$frame)"
      }
      val columns = Seq.tabulate(1 + random.nextInt(3))(i => s"$column AS c$i")
      val read = random.shuffle(Seq("i32", "i8", "y", "flag", "d18", "ts", "s", "st", "*"))
        .take(random.nextInt(4)).distinct
      val below = s"SELECT ${("id" +: "k" +: read ++: columns).mkString(", ")} FROM t"
      val query = if (random.nextBoolean()) below else s"SELECT id, c0 FROM ($below) WHERE k > 1"
      sameRows(query): Unit
    }
}

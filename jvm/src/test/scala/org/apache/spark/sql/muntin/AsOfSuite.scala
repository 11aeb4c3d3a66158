package org.apache.spark.sql.muntin

import java.sql.Timestamp
import java.time.Duration

import scala.util.Random

import io.muntin.functions.{asof, asofJoin}
import org.scalatest.Assertion

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.functions.{col, expr, lit}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.asof.AsOfJoinExec

/** As-of joins against stock Spark's range join and its greatest or least time. */
class AsOfSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "l", rows = 150, seed = 31)
    RandomTable.create(spark, "r", rows = 120, seed = 32)
    Seq(
      "trades AS SELECT trade, symbol, timestamp_seconds(t) AS at FROM VALUES (1, 'x', 4), (2, 'x', 5), " +
        "(3, 'x', 30), (4, 'y', 2), (5, 'z', 9), (6, 'x', null), (7, null, 5) AS t(trade, symbol, t)",
      "quotes AS SELECT symbol, timestamp_seconds(t) AS at, price FROM VALUES ('x', 0, 9), ('x', 5, 10), " +
        "('y', 1, 50), ('y', 4, 51), (null, 5, 1), ('x', null, 2) AS q(symbol, t, price)"
    ).foreach(view => spark.sql(s"CREATE TEMP VIEW $view"))
  }

  private def operators(frame: DataFrame): Int =
    nodes(frame.asInstanceOf[classic.DataFrame]) { case j: AsOfJoinExec => j }.size

  private def rows(query: String): Seq[Row] = spark.sql(query).collect().toSeq.sortBy(_.toString)

  // For each type: a time of both sides, and a tolerance.
  private val times = Seq(
    ("i32", "i32", "7"),
    ("i8", "i64", "1"),
    ("i64", "i64", "5000000000"),
    ("x", "x", "1.5"),
    ("wild", "y", "2"),
    ("f", "f", "CAST(1.5 AS FLOAT)"),
    ("d5", "d5", "0.75"),
    ("d18", "d5", "100"),
    ("d38", "d38", "2500000000000"),
    ("huge", "huge", "4"),
    ("ts", "ts", "INTERVAL 3 HOURS"),
    ("ts", "ts", "INTERVAL 2 MONTHS"),
    ("ntz", "ntz", "INTERVAL 100 MINUTES"),
    ("day", "day", "INTERVAL 2 DAYS")
  )

  for ((ofLeft, ofRight, tolerance) <- times)
    sampledTest(s"$ofLeft as of $ofRight, within nothing or $tolerance") {
      for {
        within <- Seq(None, Some(tolerance))
        strict <- Seq(false, true)
      } check(ofLeft, ofRight, within, strict)
    }

  private val random = new Random(5)

  private def check(
      ofLeft: String,
      ofRight: String,
      within: Option[String],
      strict: Boolean
  ): Unit = {
    val (lt, rt) = (s"l.$ofLeft", s"r.$ofRight")
    val key = if (random.nextInt(3) == 0) "true" else "l.k = r.k"
    val other = "r.id % 4 <> 3 AND l.id % 5 <> 2"
    // A finite time for the left side: NaN, infinities and nulls match no row.
    val finite = if (Set("x", "wild", "f")(ofLeft)) s"abs($lt) < double('Infinity')" else "true"
    val equal = if (strict) "" else "="
    val noNaN = if (Set("x", "y", "f")(ofRight)) s"NOT isnan($rt)" else "true"
    val before = s"$rt <$equal $lt" + within.fold("")(t => s" AND $rt >= $lt - $t")
    val after = s"$rt >$equal $lt" + within.fold("")(t => s" AND $rt <= $lt + $t")
    val best = interpreted(spark.sql(
      s"SELECT l.id, max(CASE WHEN $before THEN $rt END), min(CASE WHEN $after THEN $rt END) " +
        s"FROM l LEFT JOIN r ON $key AND $other AND $finite AND $noNaN GROUP BY l.id"
    ).collect()).map(row => row.getInt(0) -> (row.get(1), row.get(2))).toMap
    Seq("backward", "forward", "nearest").foreach { direction =>
      val call = s"asof($lt, $rt, direction => '$direction'" +
        within.fold("")(t => s", tolerance => $t") + s", strict => $strict)"
      compare(direction, s"l.id, $lt, r.id, $rt, r.s", s"$key AND $other AND $call", best)
    }
  }

  private lazy val words: Map[Int, String] =
    spark.table("r").collect().map(r => r.getInt(0) -> r.getAs[String]("s")).toMap

  private def compare(
      direction: String,
      shown: String,
      on: String,
      best: Map[Int, (Any, Any)]
  ): Assertion = {
    val found = s"SELECT $shown FROM l LEFT JOIN r ON $on"
    val made = spark.sql(found)
    assert(operators(made) === 1, found)
    val joined = made.collect()
    assert(joined.map(_.getInt(0)).sorted === best.keys.toSeq.sorted, found)
    joined.foreach { row =>
      val (last, first) = best(row.getInt(0))
      val wanted = direction match {
        case "backward" => last
        case "forward" => first
        case _ => if (isNearer(last, row.get(1), first)) last else first
      }
      assert(same(row.get(3), wanted), s"$row: $found")
      if (wanted == null) assert(row.isNullAt(2), s"$row: $found")
      else assert(row.get(4) === words(row.getInt(2)), s"$row: $found")
    }
    val matched = joined.filterNot(_.isNullAt(2)).map(_.getInt(0)).sorted.toSeq
    def ids(join: String) =
      spark.sql(s"SELECT l.id FROM l $join JOIN r ON $on").collect()
        .map(_.getInt(0)).sorted.toSeq
    random.nextInt(6) match {
      case 0 => assert(ids("") === matched, found)
      case 1 => assert(ids("LEFT SEMI") === matched, found)
      case 2 => assert(ids("LEFT ANTI") === best.keys.toSeq.sorted.diff(matched), found)
      case _ => succeed
    }
  }

  private def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Number, y: Number) if x.doubleValue == y.doubleValue => true
    case _ => a == b
  }

  private def isNearer(before: Any, time: Any, after: Any): Boolean = {
    def between(a: Any, b: Any): BigDecimal = (a, b) match {
      case (a: Timestamp, b: Timestamp) =>
        BigDecimal(Duration.between(a.toInstant, b.toInstant).toMillis)
      case (a: java.time.LocalDateTime, b: java.time.LocalDateTime) =>
        BigDecimal(Duration.between(a, b).toMillis)
      case (a: java.sql.Date, b: java.sql.Date) =>
        BigDecimal(java.time.temporal.ChronoUnit.DAYS.between(a.toLocalDate, b.toLocalDate))
      case (a, b) => number(b) - number(a)
    }
    def number(value: Any): BigDecimal = value match {
      case d: java.lang.Double =>
        if (d.isInfinite) BigDecimal(math.signum(d)) * BigDecimal("1e999") else BigDecimal(d)
      case other => BigDecimal(other.toString)
    }
    if (before == null || after == null) after == null
    else between(before, time) <= between(time, after)
  }

  test("DataFrame code equals SQL; columns of the right side keep their names") {
    val (trades, quotes) = (spark.table("trades"), spark.table("quotes"))
    val joined = trades.join(
      quotes,
      trades("symbol") === quotes("symbol") &&
        asof(trades("at"), quotes("at"), tolerance = lit("10 seconds")),
      "left"
    )
    assert(joined.columns === Array("trade", "symbol", "at", "symbol", "at", "price"))
    val found = joined.select(col("trade"), quotes("at"), col("price")).collect().toSeq
    assert(found.sortBy(_.getInt(0)).map(r => Option(r.get(2))) ===
      Seq(Some(9), Some(10), None, Some(50), None, None, None))
    assert(found.sortBy(_.toString) === rows(
      "SELECT trade, q.at, price FROM trades t LEFT JOIN quotes q ON t.symbol = q.symbol AND " +
        "asof(t.at, q.at, 'backward', INTERVAL 10 SECONDS)"
    ))
    assert(rows(
      "SELECT a.trade, b.trade FROM trades a JOIN trades b ON a.symbol = b.symbol AND " +
        "asof(a.at, b.at, strict => true)"
    ) === Seq(Row(2, 1), Row(3, 2)))
  }

  // merge_asof of the pandas API calls it.
  private def sparks(
      direction: String,
      tolerance: Option[String],
      exact: Boolean,
      joinType: String
  ): DataFrame = {
    val (trades, quotes) = (spark.table("trades"), spark.table("quotes"))
    trades.asInstanceOf[classic.DataFrame].joinAsOf(
      quotes.asInstanceOf[classic.DataFrame],
      trades("at"),
      quotes("at"),
      trades("symbol") === quotes("symbol"),
      joinType,
      tolerance.map(expr).orNull,
      exact,
      direction
    ).select(trades("trade"), quotes("price"))
  }

  sampledTest("Spark's as-of join has the results of Spark") {
    for {
      direction <- Seq("backward", "forward", "nearest")
      tolerance <- Seq(None, Some("INTERVAL 1 SECOND"), Some("INTERVAL 5 SECONDS"))
      exact <- Seq(true, false)
      joinType <- Seq("left", "inner")
    } {
      def values(frame: DataFrame) = frame.collect().toSeq.sortBy(_.toString)
      val clue = s"$direction, $tolerance, $exact, $joinType"
      val taken = sparks(direction, tolerance, exact, joinType)
      assert(operators(taken) === 1, clue)
      val ours = values(taken)
      withConf(MuntinConf.AsOfEnabled.key -> "false") {
        val stock = sparks(direction, tolerance, exact, joinType)
        assert(operators(stock) === 0, clue)
        assert(ours === values(stock), clue)
      }
    }
  }

  private def taken(query: String): Boolean = operators(spark.sql(query)) == 1

  private val matched = Seq(
    // The two times, of the types of both sides, or of two types.
    ("l.i32", "r.i32"),
    ("l.i8", "r.i64"),
    ("l.d18", "r.d5"),
    ("l.ts", "r.ts"),
    ("l.day", "r.ts"),
    ("r.day", "l.day")
  )

  // Spark's own operator takes the last of several rows of one time, or the first ahead.
  if (RunningSpark.isNewest)
    sampledTest("ASOF JOIN with MATCH_CONDITION has the results of Spark, ties included") {
      withConf("spark.sql.join.asofJoin.enabled" -> "true") {
        for {
          ((one, other), i) <- matched.zipWithIndex
          op <- Seq(">=", ">", "<=", "<")
          join <- Seq("", "LEFT ")
          on <- Seq("ON l.k = r.k", "ON l.k <=> r.k AND r.id % 4 <> 3 AND l.id % 5 <> 2", "")
          if (i + op.length + on.length + join.length) % 4 == 0
        } {
          val query = "SELECT l.id, r.id AS found, r.s FROM l " +
            s"${join}ASOF JOIN r MATCH_CONDITION ($one $op $other) $on"
          assert(taken(query), query)
          val ours = rows(query)
          assert(ours.nonEmpty, query)
          withConf(MuntinConf.AsOfEnabled.key -> "false") {
            assert(!taken(query), query)
            assert(ours === rows(query), query)
          }
        }
        val using = "SELECT * FROM trades LEFT ASOF JOIN quotes " +
          "MATCH_CONDITION (trades.at >= quotes.at) USING (symbol)"
        assert(taken(using))
        assert(spark.sql(using).columns === Array("symbol", "trade", "at", "at", "price"))
        val left = Seq(
          "MATCH_CONDITION (l.x >= r.x) ON l.k = r.k",
          "MATCH_CONDITION (l.s >= r.s) ON l.k = r.k",
          "MATCH_CONDITION (l.ts >= r.ntz) ON l.k = r.k",
          "MATCH_CONDITION (l.i32 >= r.i32) ON l.k = r.k AND l.i64 < r.i64"
        )
        left.foreach(rest => assert(!taken(s"SELECT l.id FROM l ASOF JOIN r $rest"), rest))
      }
    }

  if (RunningSpark.isNewest)
    test("the as-of join of stock Spark has the results of its sort-merge operator") {
      withConf("spark.sql.join.sortMergeAsOfJoin.enabled" -> "true") {
        val (left, right) = (spark.table("l"), spark.table("r").where("i32 % 2 = 0").distinct())
        for (direction <- Seq("backward", "forward")) {
          def join = left.asInstanceOf[classic.DataFrame].joinAsOf(
            right.asInstanceOf[classic.DataFrame],
            left("i32"),
            right("i32"),
            left("k") === right("k"),
            "left",
            lit(3),
            true,
            direction
          ).select(left("id"), right("i32"))
          assert(operators(join) === 1, direction)
          val ours = join.collect().toSeq.sortBy(_.toString)
          withConf(MuntinConf.AsOfEnabled.key -> "false") {
            val stock = join.asInstanceOf[classic.DataFrame]
            assert(stock.queryExecution.executedPlan.toString.contains("SortMergeAsOfJoin"))
            assert(ours === stock.collect().toSeq.sortBy(_.toString), direction)
          }
        }
        // Spark's operator stops at the second of two equally near rows, and misses the third.
        val (one, three) = (
          spark.sql("SELECT 5 AS t").asInstanceOf[classic.DataFrame],
          spark.sql("SELECT * FROM VALUES 1, 1, 5 AS r(t)").asInstanceOf[classic.DataFrame]
        )
        val nearest = one.joinAsOf(
          three,
          one("t"),
          three("t"),
          lit(true),
          "left",
          null,
          true,
          "nearest"
        )
        assert(nearest.collect().toSeq === Seq(Row(5, 5)))
      }
    }

  private val nullable = "VALUES (1, 'x', 4), (2, null, 5), (3, null, 0), (4, 'y', 9)"

  test("null-safe keys: null equals null, with other keys, on all join types") {
    spark.sql(s"CREATE OR REPLACE TEMP VIEW some AS SELECT * FROM $nullable AS s(id, k, t)")
    val on = "a.k <=> b.k AND asof(a.t, b.t, strict => true)"
    def ids(join: String, columns: String) =
      rows(s"SELECT $columns FROM some a $join JOIN some b ON $on")
    assert(ids("LEFT", "a.id, b.id") === Seq(Row(1, null), Row(2, 3), Row(3, null), Row(4, null)))
    assert(ids("", "a.id, b.id") === Seq(Row(2, 3)))
    assert(ids("LEFT SEMI", "a.id") === Seq(Row(2)))
    assert(ids("LEFT ANTI", "a.id") === Seq(Row(1), Row(3), Row(4)))
    val shown = "SELECT l.id, r.id AS r FROM l LEFT JOIN r ON"
    for (other <- Seq("true", "l.i8 = r.i8", "r.s <=> l.s")) {
      val found = rows(s"$shown l.k <=> r.k AND $other AND asof(l.i32, r.i32)")
      val without = rows(
        s"$shown coalesce(l.k, -99) = coalesce(r.k, -99) AND $other AND asof(l.i32, r.i32)"
      )
      assert(found.map(_.getInt(0)) === without.map(_.getInt(0)))
      assert(found.count(_.isNullAt(1)) === without.count(_.isNullAt(1)))
    }
    val frame = spark.table("some")
    val (a, b) = (frame.as("a"), frame.as("b"))
    val joined = a.join(b, col("a.k") <=> col("b.k") && asof(col("a.t"), col("b.t")), "left")
    assert(joined.where("a.k IS NULL AND b.k IS NULL").count() === 2)
  }

  test("conditions on the left side are pushed below the join, conditions on keys to both sides") {
    for (join <- Seq("INNER", "LEFT")) {
      val query =
        s"SELECT l.id, l.k, r.id AS r FROM l $join JOIN r ON l.k = r.k AND asof(l.i32, r.i32)"
      val frame = spark.sql(s"$query WHERE l.k = 3 AND l.id > 20 AND r.id % 2 = 0")
      val joined = nodes(frame.asInstanceOf[classic.DataFrame]) { case j: AsOfJoinExec => j }.head
      def conditions(side: SparkPlan) =
        collect(side) { case f: FilterExec => f.condition.sql }.mkString
      assert(conditions(joined.left).contains("k = 3") && conditions(joined.left).contains("> 20"))
      assert(conditions(joined.right).contains("k = 3"))
      assert(!conditions(joined.right).contains("% 2"))
      val wanted = rows(query).filter { row =>
        row.get(1) == 3 && row.getInt(0) > 20 && !row.isNullAt(2) && row.getInt(2) % 2 == 0
      }
      assert(wanted.nonEmpty)
      assert(frame.collect().toSeq.sortBy(_.toString) === wanted)
    }
  }

  sampledTest("the result has the columns of the query, without a projection above") {
    for {
      (join, i) <- Seq("INNER", "LEFT", "LEFT SEMI", "LEFT ANTI").zipWithIndex
      isOfLeft = join.startsWith("LEFT ")
      ofLeft = Seq("l.s, l.id, l.k", "l.id, l.i32, l.k, l.s", "l.id + 1 AS n", "l.k AS key")
      ofBoth = if (isOfLeft) Nil else Seq("r.s, l.id, r.id", "r.id, r.id", "l.*, r.*")
      (columns, j) <- (ofLeft ++ ofBoth).zipWithIndex
      if Repeats.selects(i + j, 3)
    } {
      val joined = s"FROM l $join JOIN r ON l.k = r.k AND asof(l.i32, r.i32)"
      val packed = if (isOfLeft) "struct(l.*) AS l" else "struct(l.*) AS l, struct(r.*) AS r"
      val found = rows(s"SELECT $columns $joined")
      assert(found.nonEmpty)
      assert(found === rows(s"SELECT $columns FROM (SELECT $packed $joined)"), (join, columns))
      val plan = spark.sql(s"SELECT $columns $joined").asInstanceOf[classic.DataFrame]
      val above = nodes(plan) { case p @ ProjectExec(_, _: AsOfJoinExec) => p }
      assert(above.nonEmpty === columns.contains(" AS "), (join, columns))
    }
  }

  test("two equal joins are one join for Spark, and have separate columns in one query") {
    def query(tolerance: Int) = "SELECT l.id, l.i32, r.i32 AS other FROM l LEFT JOIN r ON " +
      s"l.k = r.k AND asof(l.i32 + 1, r.i32, tolerance => $tolerance)"
    def plan(tolerance: Int) =
      spark.sql(query(tolerance)).asInstanceOf[classic.DataFrame].queryExecution.sparkPlan
    assert(plan(5).sameResult(plan(5)) && !plan(5).sameResult(plan(6)))
    val joined = spark.sql(query(5))
    val twice = joined.as("a").join(joined.as("b"), expr("a.id = b.id"))
    assert(operators(twice) === 2)
    val found = twice.collect()
    assert(found.length === 150 && found.exists(!_.isNullAt(2)))
    assert(found.forall(row => row.toSeq.take(3) == row.toSeq.drop(3)))
  }

  test("a join over a join of a table with itself, whose order an aggregate above uses") {
    val twice = "SELECT a.trade, q.price, b.trade AS before FROM trades a " +
      "LEFT JOIN quotes q ON a.symbol = q.symbol AND asof(a.at, q.at) " +
      "LEFT JOIN trades b ON a.symbol = b.symbol AND asof(a.at, b.at, strict => true)"
    assert(operators(spark.sql(twice)) === 2)
    assert(rows(twice) === Seq(
      Row(1, 9, null),
      Row(2, 10, 1),
      Row(3, 10, 2),
      Row(4, 50, null),
      Row(5, null, null),
      Row(6, null, null),
      Row(7, null, null)
    ))
    val counted = rows(
      "SELECT a.symbol, count(price) FROM trades a LEFT JOIN quotes q ON a.symbol = q.symbol " +
        "AND asof(a.at, q.at) GROUP BY a.symbol"
    )
    assert(counted.toSet === Set(Row("x", 3L), Row("y", 1L), Row("z", 0L), Row(null, 0L)))
  }

  test("a tolerance that exceeds the range of the type reaches all rows, without ANSI") {
    withConf("spark.sql.ansi.enabled" -> "false") {
      for {
        (kind, most) <- Seq("BIGINT" -> Long.MaxValue, "INT" -> Int.MaxValue.toLong)
        direction <- Seq("backward", "forward", "nearest")
        (at, other) <- Seq(
          most - 1 -> (most - 9),
          most - 9 -> (most - 1),
          -most -> (7 - most),
          7 - most -> -most
        )
      } {
        val found = rows(
          s"SELECT r.t FROM (SELECT CAST($at AS $kind) AS t) l JOIN (SELECT CAST($other AS $kind) AS t) r " +
            s"ON asof(l.t, r.t, '$direction', CAST(100 AS $kind))"
        )
        val isThere = direction == "nearest" || (direction == "backward") == other < at
        assert(found.nonEmpty === isThere, s"$kind $direction $at $other")
      }
    }
  }

  test("asofJoin compares names according to the session's case sensitivity") {
    val left = spark.sql("SELECT 1 AS k, 2 AS t, 10 AS v")
    val right = spark.sql("SELECT 1 AS k, 1 AS t, 8 AS V")
    withConf("spark.sql.caseSensitive" -> "true") {
      val more = right.select(col("*"), lit(7).as("K"))
      val joined = asofJoin(left, more, "t", by = Seq("k"))
      assert(joined.columns === Array("k", "t", "v", "t_right", "V", "K"))
      assert(joined.collect().toSeq === Seq(Row(1, 2, 10, 1, 8, 7)))
    }
    val joined = asofJoin(left, right.withColumnRenamed("k", "K"), "t", by = Seq("k"))
    assert(joined.columns === Array("k", "t", "v", "t_right", "V_right"))
  }

  test("the analyzer rejects unsupported joins with asof") {
    def error(join: String): AnalysisException =
      intercept[AnalysisException](spark.sql(s"SELECT * FROM trades t $join"))
    val on = "JOIN quotes q ON t.symbol = q.symbol AND"
    Seq("RIGHT", "FULL").foreach { side =>
      val refused = error(s"$side $on asof(t.at, q.at)")
      assertCondition(
        refused,
        "MUNTIN_UNSUPPORTED_AS_OF_JOIN_TYPE",
        "function" -> "asof",
        "joinType" -> s"$side OUTER"
      )
    }
    assertCondition(
      error(s"$on asof(q.at, t.at)"),
      "MUNTIN_ARGUMENT_OF_OTHER_TABLE",
      "parameter" -> "left_time",
      "table" -> "the left side of the join"
    )
    assertCondition(
      error(s"$on asof(t.at, q.at) AND asof(t.at, q.at)"),
      "MUNTIN_SEVERAL_AS_OF_CONDITIONS"
    )
    assertCondition(
      error(s"$on asof(t.at, q.at) AND t.trade < q.price"),
      "MUNTIN_AS_OF_CONDITION_ON_BOTH_SIDES",
      "condition" -> "(trade < price)"
    )
    Seq("t.trade, q.at", "t.symbol, q.symbol").foreach { times =>
      assertCondition(error(s"$on asof($times)"), "MUNTIN_INCOMPATIBLE_AS_OF_TIMES")
    }
    assertCondition(error(s"$on NOT asof(t.at, q.at)"), "MUNTIN_MISPLACED_AS_OF")
    Seq(
      "t.at, q.at, 'up'" -> "direction",
      "t.at, q.at, tolerance => 5" -> "tolerance",
      "t.at, q.at, tolerance => '-1 second'" -> "tolerance",
      "t.trade, q.price, tolerance => -1" -> "tolerance"
    ).foreach { case (arguments, parameter) =>
      assertCondition(
        error(s"$on asof($arguments)"),
        "MUNTIN_INVALID_ARGUMENT_VALUE",
        "parameter" -> parameter
      )
    }
    assertCondition(
      error("WHERE asof(t.at, t.at)"),
      "MUNTIN_MISPLACED_AS_OF",
      "place" -> "Filter"
    )
  }
}

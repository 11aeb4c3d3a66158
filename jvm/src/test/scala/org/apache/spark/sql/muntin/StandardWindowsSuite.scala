package org.apache.spark.sql.muntin

import scala.collection.mutable
import scala.util.{Random, Try}

import io.muntin.functions.over
import org.apache.spark.sql.muntin.plans.dialect.{ResolveNames, StandardWindows, WindowRule}
import org.scalatest.Assertion

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{col, expr, sum}
import org.apache.spark.sql.muntin.spark.ParserWithTokens

/**
 * The window syntax of the SQL standard that Spark does not have, against the equivalent calls of
 * Muntin's functions, and against statements of PostgreSQL's and DuckDB's tests.
 */
class StandardWindowsSuite extends AggregatesOfRows {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 70, seed = 23)
    spark.sql(
      """CREATE OR REPLACE TEMP VIEW tenk AS SELECT * FROM VALUES
        |(1, 0, 0), (5, 0, 4), (7, 1, 4), (3, 1, 2), (8, 2, 6), (0, 2, 6), (4, 2, 7), (2, 3, 9),
        |(6, 3, 9), (9, 3, 9) AS tenk(unique1, two, four)""".stripMargin
    ): Unit
  }

  private def rows(sql: String): Seq[Row] = spark.sql(sql).collect().toSeq

  private def same(standard: String, with_ : String): Assertion = {
    def sorted(sql: String) = rows(sql).sortBy(_.toString)
    assert(sorted(standard) === sorted(with_), standard)
  }

  sampledTest("GROUPS and EXCLUDE equal framed, in every pair of bounds") {
    val random = new Random(5)
    val bounds = Seq(
      "UNBOUNDED PRECEDING",
      "2 PRECEDING",
      "CURRENT ROW",
      "1 FOLLOWING",
      "UNBOUNDED FOLLOWING"
    )
    val pairs = for {
      (lower, i) <- bounds.zipWithIndex
      (upper, k) <- bounds.zipWithIndex if i <= k && i < 4 && k > 0
    } yield s"BETWEEN $lower AND $upper"
    pairs.foreach { pair =>
      val exclude = random.shuffle(Seq("CURRENT ROW", "GROUP", "TIES", "NO OTHERS")).head
      val by = "PARTITION BY k ORDER BY i8 DESC"
      same(
        s"SELECT id, sum(i32) OVER ($by GROUPS $pair EXCLUDE $exclude), " +
          s"collect_list(id) OVER ($by GROUPS $pair), " +
          s"max(s) OVER ($by RANGE $pair EXCLUDE $exclude), " +
          s"count(i32) OVER ($by ROWS $pair EXCLUDE $exclude) FROM t",
        s"SELECT id, framed(sum(i32), groups => '$pair', exclude => '$exclude') OVER ($by), " +
          s"framed(collect_list(id), groups => '$pair') OVER ($by), " +
          s"framed(max(s), exclude => '$exclude') OVER ($by RANGE $pair), " +
          s"framed(count(i32), exclude => '$exclude') OVER ($by ROWS $pair) FROM t"
      )
    }
  }

  test("one bound, comments, strings, names and cases of all kinds") {
    same(
      "select id, Sum(i32) over (partition by k order by i8 groups /* EXCLUDE GROUP */ 2 preceding -- )" +
        "\n exclude Ties) from t where s <> 'GROUPS 2 PRECEDING EXCLUDE TIES)'",
      "SELECT id, framed(sum(i32), groups => '2 PRECEDING', exclude => 'ties') OVER (PARTITION BY k " +
        "ORDER BY i8) FROM t WHERE s <> 'GROUPS 2 PRECEDING EXCLUDE TIES)'"
    )
    val renamed = "(SELECT id, k AS exclude, i8 AS groups, i32 AS `over` FROM t)"
    same(
      s"SELECT id, sum(`over`) OVER (PARTITION BY exclude ORDER BY groups GROUPS 1 PRECEDING) FROM $renamed",
      "SELECT id, framed(sum(i32), groups => '1 PRECEDING') OVER (PARTITION BY k ORDER BY i8) FROM t"
    )
    same(
      s"SELECT id, sum(`over`) OVER (PARTITION BY exclude ORDER BY groups ROWS 1 PRECEDING EXCLUDE GROUP) FROM $renamed",
      "SELECT id, framed(sum(i32), exclude => 'group') OVER (PARTITION BY k ORDER BY i8 ROWS 1 PRECEDING) FROM t"
    )
  }

  test("Scala's over accepts groups, and excludes rows") {
    val by = (groups: (Long, Long)) => over(Seq(col("k")), Seq(col("i8")), groups, "ties")
    val made = spark.table("t").select(
      col("id"),
      sum("i32").over(by((-2L, 0L))),
      sum("i32").over(by((Window.unboundedPreceding, 1L)))
    )
    val wanted = "SELECT id, sum(i32) OVER (w GROUPS 2 PRECEDING EXCLUDE TIES), sum(i32) OVER " +
      "(w GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM t " +
      "WINDOW w AS (PARTITION BY k ORDER BY i8)"
    assert(made.collect().toSeq.sortBy(_.toString) === rows(wanted).sortBy(_.toString))
  }

  test("functions without a frame ignore the frame") {
    same(
      "SELECT id, rank() OVER w, lag(id) OVER w, sum(i32) OVER w, nth_value(id, 2) OVER w FROM t " +
        "WINDOW w AS (PARTITION BY k ORDER BY i8, id GROUPS 1 PRECEDING EXCLUDE CURRENT ROW)",
      "SELECT id, rank() OVER w, lag(id) OVER w, " +
        "framed(sum(i32), groups => '1 PRECEDING', exclude => 'current row') OVER w, " +
        "framed(nth(id, 2), groups => '1 PRECEDING', exclude => 'current row') OVER w " +
        "FROM t WINDOW w AS (PARTITION BY k ORDER BY i8, id)"
    )
  }

  test("the other arguments of framed are kept") {
    same(
      "SELECT id, framed(sum(i32), closed => 'left', arrival => id) OVER (ORDER BY i8 GROUPS 2 PRECEDING EXCLUDE CURRENT ROW) FROM t",
      "SELECT id, framed(sum(i32), 'left', id, 'current row', groups => '2 PRECEDING') OVER (ORDER BY i8) FROM t"
    )
  }

  test("nth_value FROM LAST, null treatment among the arguments and after them") {
    val over = "OVER (PARTITION BY k ORDER BY id ROWS 5 PRECEDING)"
    same(
      s"SELECT id, nth_value(s, 2) FROM LAST $over, nth_value(s, 1 + 1) FROM LAST $over, " +
        s"nth_value(s, 2) FROM FIRST RESPECT NULLS $over, first_value(s IGNORE NULLS) $over, " +
        "lag(s, 1 IGNORE NULLS) OVER (PARTITION BY k ORDER BY id) FROM t",
      s"SELECT id, nth(s, -2) $over, nth(s, -2) $over, " +
        s"nth_value(s, 2) $over, first_value(s) IGNORE NULLS $over, " +
        "lag(s, 1) IGNORE NULLS OVER (PARTITION BY k ORDER BY id) FROM t"
    )
    val lists = rows(s"SELECT nth_value(id, 2) FROM LAST $over, collect_list(id) $over FROM t")
    lists.foreach { row =>
      val ids = row.getSeq[Int](1)
      assert(row.get(0) === (if (ids.size < 2) null else ids(ids.size - 2)))
    }
  }

  test("the order of StandardWindows' rules does not matter, and each rule has an effect") {
    val calls = Seq(
      "rank()",
      "ntile(3)",
      "ntile(i8)",
      "lag(id, 2, -1)",
      "lag(id, i8)",
      "lag(id, i8 IGNORE NULLS)",
      "lead(id) FILTER (WHERE flag)",
      "lead(id, i8) FILTER (WHERE flag)",
      "nth_value(id, 2)",
      "nth_value(id, i8)",
      "nth_value(id, 2) FROM LAST",
      "nth_value(id, i8) FROM LAST",
      "nth_value(id, 2) FILTER (WHERE flag)",
      "sum(id)",
      "framed(count(*), closed => 'left') FILTER (WHERE flag)"
    )
    val frames = Seq(
      "",
      "ROWS 2 PRECEDING",
      "ROWS 3000000000 PRECEDING",
      "ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING",
      "ROWS BETWEEN 3000000000 FOLLOWING AND 1 FOLLOWING",
      "RANGE UNBOUNDED PRECEDING",
      "RANGE CURRENT ROW EXCLUDE TIES",
      "RANGE BETWEEN 1 PRECEDING AND 2 PRECEDING EXCLUDE GROUP",
      "ROWS BETWEEN 3000000000 FOLLOWING AND 2 FOLLOWING EXCLUDE TIES",
      "ROWS 3000000000 PRECEDING EXCLUDE CURRENT ROW",
      "ROWS i8 PRECEDING",
      "GROUPS BETWEEN 2 FOLLOWING AND 1 FOLLOWING EXCLUDE TIES",
      "GROUPS 3000000000 PRECEDING"
    )
    val parsed = for {
      (call, i) <- calls.zipWithIndex
      order <- Seq("", "ORDER BY id")
      (frame, j) <- frames.zipWithIndex
      if Repeats.selects(i + j, 3)
      text = s"SELECT $call OVER ($order $frame) FROM t"
    } yield text -> ResolveNames(spark)(spark.sessionState.sqlParser.parsePlan(text))
    def changed(rules: Seq[WindowRule]): Seq[(String, String)] = parsed.map { case (text, plan) =>
      text -> Try(StandardWindows(plan, rules).treeString.replaceAll("#\\d+", ""))
        .recover { case refused: AnalysisException => refused.getMessage }.get
    }
    Seq("true", "false").foreach { permissive =>
      withConf("spark.muntin.over.permissive" -> permissive) {
        val rules = StandardWindows.rules
        val known = changed(rules)
        val turned = rules.indices.map(i => rules.drop(i) ++ rules.take(i))
        (turned ++ turned.map(_.reverse)).foreach { order =>
          changed(order).zip(known).foreach { case ((text, found), (_, expected)) =>
            assert(found === expected, s"$permissive: $text, by $order")
          }
        }
        if (permissive == "true") rules.foreach { rule =>
          assert(changed(rules.filterNot(_ eq rule)) !== known, rule)
        }
      }
    }
  }

  test("nth also counts from the end in groups") {
    same(
      "SELECT k, nth(id, -2) FROM (SELECT * FROM t ORDER BY id) GROUP BY k",
      "SELECT k, get(reverse(collect_list(id)), 1) FROM (SELECT * FROM t ORDER BY id) GROUP BY k"
    )
  }

  test("FILTER on nth_value, lag and lead: the rows that satisfy the condition") {
    val over = "OVER (PARTITION BY k ORDER BY id)"
    val five = "OVER (PARTITION BY k ORDER BY id ROWS 5 PRECEDING)"
    same(
      s"SELECT id, nth_value(s, 1 + 1) FROM LAST IGNORE NULLS $five, " +
        s"last_value(s RESPECT NULLS) FILTER (WHERE flag) $five, " +
        "count(*) FILTER (WHERE flag) OVER (ORDER BY i8 GROUPS 1 PRECEDING) FROM t",
      s"SELECT id, nth(s, -2) FILTER (WHERE s IS NOT NULL) $five, " +
        s"last_value(s) FILTER (WHERE flag) $five, " +
        "framed(count(*) FILTER (WHERE flag), groups => '1 PRECEDING') OVER (ORDER BY i8) FROM t"
    )
    val all =
      "collect_list(struct(id, s)) FILTER (WHERE flag) OVER (PARTITION BY k ORDER BY id ROWS " +
        "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    val found = rows(
      s"SELECT id, lag(s, 2, 'none') FILTER (WHERE flag) $over, lead(id) FILTER (WHERE flag) $over, " +
        s"nth_value(id, 2) FILTER (WHERE flag) $over, lead(id, -1) FILTER (WHERE flag) $over, $all FROM t"
    )
    found.foreach { row =>
      val id = row.getInt(0)
      val flagged = row.getSeq[Row](5)
      val before = flagged.filter(_.getInt(0) < id)
      val after = flagged.filter(_.getInt(0) > id)
      val upTo = flagged.filter(_.getInt(0) <= id)
      assert(row.get(1) === (if (before.size < 2) "none" else before(before.size - 2).get(1)))
      assert(row.get(2) === after.headOption.map(_.get(0)).orNull)
      assert(row.get(3) === upTo.lift(1).map(_.get(0)).orNull)
      assert(row.get(4) === before.lastOption.map(_.get(0)).orNull)
    }
  }

  test("lag, lead, nth_value and ntile with a number that depends on the row") {
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW numbered AS SELECT *, abs(hash(id)) % 7 - 3 AS n FROM t"
    ): Unit
    val over = "OVER (PARTITION BY k ORDER BY id)"
    val whole =
      "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    val found = rows(
      s"SELECT id, n, lag(s, n, 'none') $over, lead(id, n) $over, lag(id, nullif(n, 2)) $over, " +
        s"lag(id, n) IGNORE NULLS $over, lead(s, n, '?') FILTER (WHERE flag) $over, " +
        s"nth_value(id, abs(n) + 1) $over, nth_value(id, nullif(n, 0) * n) FROM LAST $over, " +
        s"nth_value(s, abs(n) + 1) IGNORE NULLS $whole, ntile(abs(n) + 1) $over, " +
        s"collect_list(struct(id, s, flag)) $whole, nth_value(id, abs(n) + 1) OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING EXCLUDE CURRENT ROW) FROM numbered"
    )
    assert(found.size === 70)
    found.foreach { row =>
      val (id, n) = (row.getInt(0), row.getInt(1))
      val all = row.getSeq[Row](11)
      val here = all.indexWhere(_.getInt(0) == id)
      def s(i: Int) = all.lift(i).map(_.get(1))
      def ids(i: Int) = all.lift(i).map(_.get(0)).orNull
      assert(row.get(2) === s(here - n).getOrElse("none"))
      assert(row.get(3) === ids(here + n))
      assert(row.get(4) === (if (n == 2) null else ids(here - n)))
      assert(row.get(5) === ids(here - n))
      val flagged = all.zipWithIndex.filter(r => !r._1.isNullAt(2) && r._1.getBoolean(2))
      val near =
        if (n == 0) Some(all(here))
        else if (n > 0) flagged.filter(_._2 > here).lift(n - 1).map(_._1)
        else flagged.filter(_._2 < here).reverse.lift(-n - 1).map(_._1)
      assert(row.get(6) === near.fold[Any]("?")(_.get(1)))
      assert(row.get(7) === (if (math.abs(n) > here) null else ids(math.abs(n))))
      assert(row.get(8) === (if (n == 0 || n * n > here + 1) null else ids(here + 1 - n * n)))
      assert(row.get(9) === all.filterNot(_.isNullAt(1)).lift(math.abs(n)).map(_.get(1)).orNull)
      val buckets = math.abs(n) + 1
      val sizes =
        Seq.tabulate(buckets)(b => all.size / buckets + (if (b < all.size % buckets) 1 else 0))
      val ends = sizes.scanLeft(0)(_ + _).tail
      assert(row.get(10) === ends.indexWhere(here < _) + 1)
      val two = (math.max(0, here - 2) until here).map(ids)
      assert(row.get(12) === two.lift(math.abs(n)).orNull)
    }
    Seq("nth_value(id, n)" -> "nth_value", "ntile(n)" -> "ntile").foreach { case (call, function) =>
      assertFails("MUNTIN_NOT_POSITIVE_IN_ROW", "function" -> function) {
        spark.sql(s"SELECT $call $over FROM numbered").collect()
      }
    }
  }

  test("ORDER BY among the arguments of aggregates, in OVER and in GROUP BY") {
    val over = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 9 PRECEDING AND 2 FOLLOWING)"
    val calls = Seq(
      "array_agg(id ORDER BY i8 DESC)",
      "collect_list(s ORDER BY s NULLS FIRST, id DESC)",
      "first_value(id ORDER BY i8 NULLS LAST, d38)",
      "last_value(s ORDER BY i8)",
      "last_value(s ORDER BY i8 IGNORE NULLS)",
      "any_value(id ORDER BY y)",
      "nth_value(id, 2 ORDER BY y DESC)",
      "sum(x ORDER BY y)",
      "array_agg(DISTINCT i8 ORDER BY i8 DESC)",
      "array_agg(id ORDER BY i8, id) FILTER (WHERE flag)"
    )
    def by(table: String): String =
      s"(PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM $table"
    val lists = rows(
      s"SELECT id, collect_list(id) $over, ${calls.map(c => s"$c $over").mkString(", ")} FROM t"
    )
    val one = spark.table("t").orderBy("id").collect().map(r => r.getInt(0) -> r).toMap
    def rank(key: String, last: Boolean)(id: Int): (Boolean, Int) = {
      val row = one(id)
      val at = row.fieldIndex(key)
      (row.isNullAt(at) == last, if (row.isNullAt(at)) 0 else row.getByte(at).toInt)
    }
    lists.foreach { row =>
      val ids = row.getSeq[Int](1)
      val (nulls, rest) = ids.partition(i => one(i).isNullAt(one(i).fieldIndex("i8")))
      assert(row.get(2) === rest.sortBy(-rank("i8", last = true)(_)._2) ++ nulls)
      val last = (nulls ++ rest.sortBy(rank("i8", last = false)(_)._2)).last
      assert(row.get(5) === one(last).getAs[String]("s"))
    }
    // GROUP BY and merging have the result of OVER the whole group; equal rows are in any order.
    val total = calls.filterNot(_.contains("DISTINCT")).map(_.replaceFirst("\\)", ", id)")
      .replace(" IGNORE NULLS, id", ", id IGNORE NULLS"))
    val grouped = rows(s"SELECT k, ${total.mkString(", ")} FROM t GROUP BY k")
    val whole = rows(
      s"SELECT DISTINCT k, ${total.map(c => s"$c OVER ${by("t").stripSuffix(" FROM t")}").mkString(", ")} FROM t"
    )
    assert(grouped.map(_.toString).sorted === whole.map(_.toString).sorted)
    val onDisk = withConf("spark.muntin.over.forceSpill" -> "true") {
      rows(
        s"SELECT id, collect_list(id) $over, ${calls.map(c => s"$c $over").mkString(", ")} FROM t"
      )
    }
    assert(onDisk.map(_.toString).sorted === lists.map(_.toString).sorted)
    same(
      "SELECT id, array_agg(id ORDER BY id DESC) OVER (PARTITION BY k ORDER BY i8 GROUPS 1 PRECEDING EXCLUDE TIES) FROM t",
      "SELECT id, reverse(sort_array(framed(collect_list(id), groups => '1 PRECEDING', exclude => 'ties') OVER (PARTITION BY k ORDER BY i8))) FROM t"
    )
    assertCondition(
      intercept[AnalysisException](rows("SELECT array_agg(DISTINCT i8 ORDER BY id) FROM t")),
      "MUNTIN_DISTINCT_IN_OTHER_ORDER",
      "function" -> "array_agg",
      "argument" -> "i8"
    )
  }

  test("ORDER BY among the arguments of min_by, max_by and mode selects one of equal values") {
    val over = "OVER (PARTITION BY flag ORDER BY id ROWS BETWEEN 30 PRECEDING AND 2 FOLLOWING)"
    val calls = Seq(
      "min_by(id, i8 ORDER BY id DESC)",
      "max_by(id, i8 ORDER BY id) FILTER (WHERE id % 3 > 0)",
      "mode(i8 ORDER BY i8)",
      "mode(i8 ORDER BY i8 DESC)"
    )
    def both(table: String, window: String) =
      s"SELECT collect_list(struct(id, i8)) $window, ${calls.map(c => s"$c $window").mkString(", ")} FROM $table"
    // Few distinct values.
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW equal AS SELECT id, flag, CAST(i8 % 4 AS TINYINT) AS i8 FROM t"
    )
    val found = rows(both("equal", over)) ++ rows(both("equal", "") + " GROUP BY flag")
    assert(found.exists(row => !row.isNullAt(1)))
    found.foreach { row =>
      val all = row.getSeq[Row](0).filterNot(_.isNullAt(1)).map(r => (r.getInt(0), r.getByte(1)))
      val some = all.filter(_._1 % 3 > 0)
      def ids(of: Seq[(Int, Byte)], value: Seq[Byte] => Byte) =
        if (of.isEmpty) Nil else of.filter(_._2 == value(of.map(_._2))).map(_._1)
      assert(Option(row.get(1)) === ids(all, _.min).maxOption, row)
      assert(Option(row.get(2)) === ids(some, _.max).minOption, row)
      val counts = all.groupBy(_._2).map { case (value, of) => value -> of.size }
      val most = counts.filter(_._2 == counts.values.max).keys.toSeq
      assert(Option(row.get(3)) === most.minOption, row)
      assert(Option(row.get(4)) === most.maxOption, row)
    }
    assertCondition(
      intercept[AnalysisException](rows("SELECT mode(i8 ORDER BY id) FROM t")),
      "MUNTIN_MODE_IN_OTHER_ORDER",
      "argument" -> "i8"
    )
  }

  test("frames that end before they begin, with the setting") {
    val empty = "OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING)"
    intercept[AnalysisException](rows(s"SELECT sum(i32) $empty FROM t"))
    withConf("spark.muntin.over.permissive" -> "true") {
      val found = rows(
        s"SELECT sum(i32) $empty, count(*) $empty, collect_list(id) $empty, " +
          s"nth_value(id, 1) $empty, max(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND 2 " +
          "PRECEDING), count(*) OVER (ORDER BY ts NULLS LAST RANGE BETWEEN CURRENT ROW AND " +
          "INTERVAL 1 DAY PRECEDING EXCLUDE GROUP), rank() OVER (ORDER BY id) FROM t"
      )
      assert(found.map(_.toSeq.init).distinct === Seq(Seq[Any](null, 0L, Nil, null, null, 0L)))
    }
  }

  test("ranks without ORDER BY, with the setting; frames next to them; ROWS of any size") {
    intercept[AnalysisException](rows("SELECT rank() OVER () FROM t"))
    withConf("spark.muntin.over.permissive" -> "true") {
      val found = rows(
        "SELECT rank() OVER (), cume_dist() OVER (PARTITION BY k), row_number() OVER (), nth_value(1, 70) OVER () FROM t"
      )
      assert(found.map(_.getInt(2)).sorted === (1 to 70))
      assert(found.map(r => (r.get(0), r.get(1), r.get(3))).distinct === Seq((1, 1.0, 1)))
    }
    val framed =
      "SELECT id, lead(id) OVER (ORDER BY id ROWS 2 PRECEDING), ntile(3) OVER (ORDER BY id RANGE 1 PRECEDING) FROM t"
    intercept[AnalysisException](rows(framed))
    withConf("spark.muntin.over.permissive" -> "true") {
      same(framed, "SELECT id, lead(id) OVER (ORDER BY id), ntile(3) OVER (ORDER BY id) FROM t")
      val peers = "(ORDER BY i8 RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
      same(
        "SELECT id, count(*) OVER (ORDER BY i8 RANGE BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM t",
        s"SELECT id, IF(i8 IS NULL, count_if(i8 IS NULL) OVER $peers, 0) FROM t"
      )
    }
    same(
      "SELECT id, sum(i32) OVER (ORDER BY id ROWS BETWEEN 9223372036854775807 PRECEDING AND 9223372036854775807 FOLLOWING), " +
        "sum(i32) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 9223372036854775807 FOLLOWING) FROM t",
      "SELECT id, sum(i32) OVER (), " +
        "sum(i32) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING) FROM t"
    )
  }

  test("RANGE … CURRENT ROW without ORDER BY, and with several keys") {
    same(
      "SELECT id, sum(i32) OVER (PARTITION BY k RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), " +
        "count(*) OVER (RANGE UNBOUNDED PRECEDING), " +
        "sum(i32) OVER (ORDER BY i8, flag DESC RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM t",
      "SELECT id, sum(i32) OVER (PARTITION BY k), count(*) OVER (), " +
        "framed(sum(i32), groups => 'BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING') OVER (ORDER BY i8, flag DESC) FROM t"
    )
  }

  test("ranks, lead and lag by an order among the arguments") {
    val over = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 6 PRECEDING AND 3 FOLLOWING)"
    val growing = "OVER (PARTITION BY k ORDER BY id)"
    def calls(over: String) = Seq(
      s"row_number(ORDER BY i8 DESC) $over",
      s"rank(ORDER BY i8 DESC) $over",
      s"dense_rank(ORDER BY i8 DESC) $over",
      s"percent_rank(ORDER BY i8 DESC) $over",
      s"cume_dist(ORDER BY i8 DESC) $over",
      s"ntile(3 ORDER BY i8 DESC) $over",
      s"lead(id, 2, -1 ORDER BY i8 DESC) $over",
      s"lag(s ORDER BY i8 DESC) $over",
      s"collect_list(struct(id, i8, s)) $over"
    ).mkString(", ")
    val found = rows(s"SELECT id, ${calls(over)}, ${calls(growing)} FROM t")
    assert(found.size === 70)
    found.foreach { row =>
      Seq(1, 10).foreach { first =>
        val frame = row.getSeq[Row](first + 8)
        def key(r: Row): Int = if (r.isNullAt(1)) Int.MaxValue else -r.getByte(1)
        val sorted = frame.sortBy(key)
        val own = frame.find(_.getInt(0) == row.getInt(0)).get
        val before = sorted.indexOf(own)
        val below = sorted.count(key(_) < key(own))
        assert(row.get(first) === before + 1)
        assert(row.get(first + 1) === below + 1)
        assert(row.get(first + 2) === sorted.map(key).distinct.count(_ < key(own)) + 1)
        assert(row.get(first + 3) === (if (frame.size == 1) 0.0
                                       else below.toDouble / (frame.size - 1)))
        assert(row.get(first + 4) === sorted.count(key(_) <= key(own)).toDouble / frame.size)
        val ends = Seq.tabulate(3)(b =>
          frame.size / 3 + (if (b < frame.size % 3) 1 else 0)
        ).scanLeft(0)(_ + _).tail
        assert(row.get(first + 5) === ends.indexWhere(before < _) + 1)
        assert(row.get(first + 6) === sorted.lift(before + 2).fold(-1)(_.getInt(0)))
        assert(row.get(first + 7) === sorted.lift(before - 1).map(_.get(2)).orNull)
      }
    }
    same(
      s"SELECT id, rank(ORDER BY i8) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN abs(id % 3) PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM t",
      s"SELECT id, 1 + size(filter(collect_list(struct(i8)) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN abs(id % 3) PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW), r -> coalesce(r.i8 < i8, i8 IS NOT NULL AND r.i8 IS NULL))) FROM t"
    )
  }

  test("a row outside its frame gets the ranks that it would have in the frame") {
    val frames = Seq(
      "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
      "ROWS BETWEEN 5 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW",
      "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP",
      "ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING EXCLUDE TIES",
      "RANGE BETWEEN 2 FOLLOWING AND 9 FOLLOWING",
      "GROUPS BETWEEN 1 PRECEDING AND 1 PRECEDING",
      "GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE GROUP",
      "ROWS BETWEEN id % 3 FOLLOWING AND 4 FOLLOWING EXCLUDE CURRENT ROW"
    )
    val calls = frames.zipWithIndex.map { case (frame, i) =>
      val filter = if (i % 2 == 0) "" else "FILTER (WHERE flag) "
      val over = s"${filter}OVER (PARTITION BY k ORDER BY id $frame)"
      val called = Seq(
        "row_number(ORDER BY i8 DESC)",
        "rank(ORDER BY i8 DESC)",
        "dense_rank(ORDER BY i8 DESC)",
        "percent_rank(ORDER BY i8 DESC)",
        "cume_dist(ORDER BY i8 DESC)",
        "ntile(3 ORDER BY i8 DESC)",
        "ntile(100 ORDER BY i8 DESC)",
        "collect_list(struct(id, i8))"
      )
      called.map(c => s"$c $over").mkString(", ")
    }
    def key(r: Row): Int = if (r.isNullAt(1)) Int.MaxValue else -r.getByte(1)
    def bucket(before: Int, size: Int, buckets: Int): Int =
      Seq.tabulate(buckets)(b => size / buckets + (if (b < size % buckets) 1 else 0))
        .scanLeft(0)(_ + _).tail.indexWhere(before < _) + 1
    val found = Seq("true", "false").map { ansi =>
      withConf("spark.sql.ansi.enabled" -> ansi) {
        interpreted {
          rows(s"SELECT id, i8, ${calls.mkString(", ")} FROM t WHERE k IS NOT NULL")
            .sortBy(_.getInt(0))
        }
      }
    }
    assert(found.head === found(1) && found.head.size > 50)
    for {
      row <- found.head
      call <- calls.indices
    } {
      val first = 2 + call * 8
      val frame = row.getSeq[Row](first + 7)
      val others = frame.filterNot(_.getInt(0) == row.getInt(0))
      val below = others.count(key(_) < key(row))
      val before =
        below + others.count(o => key(o) == key(row) && o.getInt(0) < row.getInt(0))
      val upTo = others.count(key(_) <= key(row))
      val expected = Seq[Any](
        before + 1,
        below + 1,
        others.filter(key(_) < key(row)).map(key).distinct.size + 1,
        if (others.isEmpty) 0.0 else below.toDouble / others.size,
        (upTo + 1).toDouble / (others.size + 1),
        if (frame.isEmpty) null else bucket(before, others.size + 1, 3),
        if (frame.isEmpty) null else bucket(before, others.size + 1, 100)
      )
      assert(row.toSeq.slice(first, first + 7) === expected, s"${calls(call)}: $row")
    }
    assert(
      rows(
        "SELECT x, ntile(2 ORDER BY x) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING), " +
          "percent_rank(ORDER BY x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND " +
          "UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM VALUES (1), (2), (3), (4) t(x)"
      ) === Seq(Row(1, null, 0.0), Row(2, 2, 1.0 / 3), Row(3, 2, 2.0 / 3), Row(4, 2, 1.0))
    )
  }

  test("OVER (w …): the definition that replaces w") {
    same(
      "SELECT id, sum(i32) OVER (w ROWS 2 PRECEDING), sum(i32) OVER (w GROUPS 1 PRECEDING EXCLUDE TIES), " +
        "sum(i32) OVER (p ORDER BY id), max(id) OVER v, " +
        "(SELECT max(x) FROM (SELECT sum(i8) OVER (w ROWS 1 PRECEDING) AS x FROM t WINDOW w AS (ORDER BY id))) " +
        "FROM t WINDOW o AS (PARTITION BY k), p AS (o), w AS (p ORDER BY i8, id), v AS (w RANGE UNBOUNDED PRECEDING)",
      "SELECT id, sum(i32) OVER (PARTITION BY k ORDER BY i8, id ROWS 2 PRECEDING), " +
        "framed(sum(i32), exclude => 'ties', groups => '1 PRECEDING') OVER (PARTITION BY k ORDER BY i8, id), " +
        "sum(i32) OVER (PARTITION BY k ORDER BY id), max(id) OVER (PARTITION BY k ORDER BY i8, id), " +
        "(SELECT max(x) FROM (SELECT sum(i8) OVER (ORDER BY id ROWS 1 PRECEDING) AS x FROM t)) FROM t"
    )
  }

  test("QUALIFY, on every Spark") {
    same(
      "SELECT id, k FROM t WHERE id > 3 QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) = 2",
      "SELECT id, k FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM t WHERE id > 3) WHERE n = 2"
    )
    same(
      "SELECT DISTINCT k FROM t QUALIFY sum(i32) OVER (PARTITION BY k ORDER BY i8 GROUPS 1 PRECEDING) > 0 ORDER BY k LIMIT 3",
      "SELECT DISTINCT k FROM (SELECT k, framed(sum(i32), groups => '1 PRECEDING') OVER (PARTITION BY k ORDER BY i8) AS n FROM t) WHERE n > 0 ORDER BY k LIMIT 3"
    )
  }

  test("in all SQL of a session: expr, views, pipes, parameters, EXECUTE IMMEDIATE") {
    val over = "OVER (PARTITION BY k ORDER BY i8 GROUPS 1 PRECEDING)"
    val wanted = rows(s"SELECT id, sum(i32) $over AS x FROM t").sortBy(_.toString)
    def check(found: Seq[Row]): Assertion = assert(found.sortBy(_.toString) === wanted)
    check(spark.table("t").select(expr("id"), expr(s"sum(i32) $over AS x")).collect().toSeq)
    check(rows(s"FROM t |> SELECT id, sum(i32) $over AS x"))
    check(spark.sql(
      s"SELECT id, sum(i32) $over AS x FROM t WHERE id >= :low AND k IS NOT DISTINCT FROM k",
      Map("low" -> -1)
    ).collect().toSeq)
    check(rows(s"EXECUTE IMMEDIATE 'SELECT id, sum(i32) $over AS x FROM t'"))
    withTables("standard_rows") {
      spark.sql("CREATE TABLE standard_rows USING parquet AS SELECT id, k, i8, i32 FROM t"): Unit
      val text = s"SELECT id, /* a view */ sum(i32) $over AS x FROM standard_rows"
      spark.sql(s"CREATE VIEW standard_view AS $text"): Unit
      try {
        check(rows("TABLE standard_view"))
        val stored = rows("DESCRIBE EXTENDED standard_view").find(_.getString(0) == "View Text")
        assert(stored.map(_.getString(1)).contains(text))
      } finally spark.sql("DROP VIEW standard_view"): Unit
    }
  }

  private def withTables(names: String*)(body: => Assertion): Assertion =
    try body
    finally names.foreach(n => spark.sql(s"DROP TABLE IF EXISTS $n"): Unit)

  private def refused(sql: String): ParseException = intercept[ParseException](spark.sql(sql))

  test("errors name the position in the written text") {
    val text = "SELECT sum(i32) OVER (ORDER BY i8 GROUPS 1 PRECEDING EXCLUDE TIES), FROM t WHRE x"
    val error = refused(text)
    assert(error.start.startPosition.exists(_ >= text.indexOf(", FROM")), error.getMessage)
    val unknown = intercept[AnalysisException](
      spark.sql("SELECT 1,\n  sum(nothing) OVER (ORDER BY i8 GROUPS 1 PRECEDING) FROM t")
    )
    assert(unknown.getMessage.contains("line 2 pos 6"), unknown.getMessage)
    assert(unknown.getQueryContext.head.fragment === "nothing")
    val none = refused("SELECT sum(i32) OVER (ORDER BY i8 SELECT 1) FROM t")
    assert(none.getCondition.startsWith("PARSE_SYNTAX_ERROR"))
  }

  test("the analyzer rejects invalid frames") {
    def error(sql: String): AnalysisException = intercept[AnalysisException](spark.sql(sql))
    assertCondition(
      error("SELECT sum(i32) OVER (GROUPS 1 PRECEDING) FROM t"),
      "MUNTIN_FRAME_REQUIRES_ORDER_BY",
      "clause" -> "GROUPS"
    )
    assertCondition(
      error("SELECT sum(i32) OVER (ORDER BY i8 GROUPS 1.5 PRECEDING) FROM t"),
      "MUNTIN_INVALID_GROUPS_BOUND"
    )
    assertCondition(
      error(
        "SELECT framed(sum(i32), exclude => 'ties') OVER (ORDER BY i8 ROWS 1 PRECEDING EXCLUDE GROUP) FROM t"
      ),
      "MUNTIN_FRAME_SPECIFIED_TWICE",
      "clause" -> "EXCLUDE",
      "argument" -> "'ties'",
      "value" -> "'group'"
    )
    assertCondition(
      error("SELECT lag(i32, 0) FILTER (WHERE flag) OVER (ORDER BY i8) FROM t"),
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "function" -> "lag",
      "parameter" -> "offset"
    )
    assertCondition(
      error(
        "SELECT framed(count(*), closed => 'left') FILTER (WHERE flag) OVER (ORDER BY i8 GROUPS 1 PRECEDING) FROM t"
      ),
      "MUNTIN_CLAUSE_OF_INNER_AGGREGATE",
      "clause" -> "FILTER"
    )
  }

  test("text that Spark accepts is parsed only by Spark's parser") {
    val seen = mutable.Buffer.empty[String]
    val parser = new ParserWithTokens(
      new SparkSqlParser,
      tokens => { seen += tokens.map(_.getText).mkString; None }
    )
    val texts = Seq(
      "SELECT groups, exclude FROM qualify qualify ORDER BY groups",
      "SELECT first(x IGNORE NULLS), last_value(x) RESPECT NULLS OVER (ORDER BY y) FROM t",
      "SELECT sum(x) OVER (w) FROM t WINDOW w AS (ORDER BY groups ROWS 1 PRECEDING)"
    )
    def plan(parser: ParserInterface, text: String) =
      parser.parsePlan(text).treeString.replaceAll("#\\d+", "")
    texts.foreach(text => assert(plan(parser, text) === plan(new SparkSqlParser, text)))
    assert(seen.isEmpty)
    intercept[ParseException](parser.parsePlan("SELECT ("))
    assert(seen.size === 1)
  }

  // Statements like PostgreSQL's window.sql, with its results over its own table's rows.
  test("PostgreSQL's GROUPS and EXCLUDE over tenk1's first rows") {
    def sums(over: String): Seq[(Int, Any)] =
      rows(s"SELECT unique1, sum(unique1) OVER ($over) FROM tenk ORDER BY four, unique1")
        .map(r => r.getInt(0) -> (if (r.isNullAt(1)) null else r.getLong(1)))
    // four: 0 {1}, 2 {3}, 4 {5, 7}, 6 {0, 8}, 7 {4}, 9 {2, 6, 9}
    assert(sums("ORDER BY four GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW") === Seq(
      1 -> 1L,
      3 -> 4L,
      5 -> 16L,
      7 -> 16L,
      0 -> 24L,
      8 -> 24L,
      4 -> 28L,
      2 -> 45L,
      6 -> 45L,
      9 -> 45L
    ))
    assert(sums("ORDER BY four GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP") === Seq(
      1 -> 3L,
      3 -> 13L,
      5 -> 11L,
      7 -> 11L,
      0 -> 16L,
      8 -> 16L,
      4 -> 25L,
      2 -> 4L,
      6 -> 4L,
      9 -> 4L
    ))
    assert(sums("ORDER BY four GROUPS BETWEEN 0 PRECEDING AND 0 FOLLOWING EXCLUDE TIES") === Seq(
      1 -> 1L,
      3 -> 3L,
      5 -> 5L,
      7 -> 7L,
      0 -> 0L,
      8 -> 8L,
      4 -> 4L,
      2 -> 2L,
      6 -> 6L,
      9 -> 9L
    ))
    assert(sums("ORDER BY four GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING") === Seq(
      1 -> null,
      3 -> 1L,
      5 -> 4L,
      7 -> 4L,
      0 -> 15L,
      8 -> 15L,
      4 -> 20L,
      2 -> 12L,
      6 -> 12L,
      9 -> 12L
    ))
    assert(
      sums("ORDER BY four GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING EXCLUDE CURRENT ROW") === Seq(
        1 -> 3L,
        3 -> 12L,
        5 -> 15L,
        7 -> 13L,
        0 -> 12L,
        8 -> 4L,
        4 -> 17L,
        2 -> 15L,
        6 -> 11L,
        9 -> 8L
      )
    )
  }
}

package org.apache.spark.sql.muntin

import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.{functions, AnalysisException, Row}
import org.apache.spark.sql.muntin.execution.frames.{FramePlan, MotionPlan, PiecedPlan}
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec

/**
 * Random frames with random changes: every family of functions, against the functions over the rows
 * that are in each frame by definition, bit for bit. `-Dmuntin.first=n` and `-Dmuntin.queries=n`
 * select the seeds.
 */
class FramedSuite extends AggregatesOfRows {
  import FramedSuite._

  private val queries = Integer.getInteger("muntin.queries", Repeats(40)).intValue
  private val first = Integer.getInteger("muntin.first", 4_300 + Repeats.first(40)).intValue

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 70, seed = 17)
    registerFunctions()
  }

  private def check(query: Query): Unit = {
    val over = s"(PARTITION BY ${query.part} ORDER BY ${query.order.sql} ${query.frame.ofOver})"
    val whole = s"(PARTITION BY ${query.part} ORDER BY ${query.order.sql} " +
      "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    val columns =
      query.calls.map(c => s"framed($c${query.changes.sql}${query.frame.ofFramed}) OVER $over")
    val seen = s"framed(collect_list(id)${query.changes.arrivalSql}) OVER $whole"
    val sql = s"SELECT id, $seen, ${query.order.key}, ${query.changes.arrival.getOrElse("0")}, " +
      s"${columns.mkString(",\n ")} FROM t"
    withClue(s"$sql\n") {
      val made = spark.sql(sql)
      assert(sparkNodes(made).isEmpty)
      val rows = made.collect()
      val members = rows.map(r => r.getInt(0) -> r).toMap
      val frames = rows.map { row =>
        val ids = row.getSeq[Int](1)
        val partition = Partition(
          ids.map(i => query.order.place(members(i).get(2))).toVector,
          ids.map(i => placeOf(members(i).get(3))).toVector,
          query.order
        )
        assert(partition.isSorted(query.changes.arrival.isDefined))
        val found = partition.frame(ids.indexOf(row.getInt(0)), query.frame, query.changes)
        row.getInt(0) -> found.map(_.map(ids(_)))
      }.toMap
      val wanted = expected(query.calls, frames.collect { case (id, Some(ids)) => id -> ids })
      rows.foreach { row =>
        val got = row.toSeq.drop(4)
        val want = wanted.get(row.getInt(0)).fold(Seq.fill[Any](got.size)(null))(_.toSeq)
        got.indices.foreach { i =>
          if (!same(got(i), want(i))) {
            fail(s"row ${row.getInt(0)}, frame ${frames(row.getInt(0))}: ${query.calls(i)} is " +
              s"${got(i)}, expected ${want(i)}")
          }
        }
      }
    }
  }

  for (seed <- first until first + queries) test(s"query $seed") {
    val spills = (seed % 3 == 0).toString
    withConf("spark.muntin.over.forceSpill" -> spills)(check(Query.random(new Random(seed))))
  }

  for (seed <- first + 10_000 until first + 10_000 + queries) test(s"GROUPS, query $seed") {
    val random = new Random(seed)
    val query = Query.random(random)
    val frame = query.frame.copy(isRange = false, isGroups = true)
    val changes = query.changes.copy(complete = false)
    withConf("spark.muntin.over.forceSpill" -> (seed % 3 == 0).toString) {
      check(query.copy(frame = frame, changes = changes))
    }
  }

  // All functions in each kind of hole, without random selection.
  for {
    (exclude, arrival) <- Seq(
      "current row" -> None,
      "group" -> None,
      "ties" -> None,
      "no others" -> Some("i16"),
      "current row" -> Some("i16")
    )
    frame <- Seq(
      Frame(isRange = true, Offset(-1), Offset(1)),
      Frame(isRange = true, Unbounded, Offset(1)),
      Frame(isRange = true, Unbounded, Unbounded),
      Frame(isRange = false, Offset(-2), Offset(1), isGroups = true)
    )
  } sampledTest(
    s"every function: ${frame.sql} EXCLUDE $exclude${arrival.fold("")(", arrival " + _)}"
  ) {
    check(Query(
      Order.byNumber("i8"),
      frame,
      Changes("both", arrival, exclude, complete = false),
      functionsOfAllFamilies
    ))
  }

  test("min_periods counts the rows of the frame with a value") {
    val found = spark.sql(
      """SELECT framed(sum(x), min_periods => 2) OVER three,
        |       framed(count(*), 'left', min_periods => 2) OVER three,
        |       framed(sum(x) FILTER (WHERE id > 1), min_periods => 1) OVER three,
        |       framed(covar_pop(x, y), exclude => 'current row', min_periods => 1) OVER three,
        |       framed(count(DISTINCT y), complete => true, min_periods => 3) OVER three,
        |       framed(max(x), min_periods => 2) OVER (ORDER BY id RANGE 1 PRECEDING)
        |FROM (SELECT id, IF(id = 2, NULL, id) AS x, IF(id = 0, NULL, 1) AS y FROM range(5))
        |WINDOW three AS (ORDER BY id ROWS 2 PRECEDING) ORDER BY id""".stripMargin
    ).collect().toSeq
    assert(found === Seq(
      Row(null, null, null, null, null, null),
      Row(1L, null, null, null, null, 1L),
      Row(1L, 2L, null, 0d, null, null),
      Row(4L, 2L, 3L, 0d, 1L, null),
      Row(7L, 2L, 7L, 0d, 1L, 4L)
    ))
    for (wrong <- Seq("0", "-1", "1.5", "'two'"))
      assertFails("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> "min_periods")(spark.sql(
        s"SELECT framed(sum(id), min_periods => $wrong) OVER (ORDER BY id) FROM range(3)"
      ))
  }

  test("functions of one window with and without an arrival: two nodes, one sort") {
    val over = "OVER (PARTITION BY k ORDER BY i8)"
    val made = spark.sql(
      s"SELECT id, framed(count(*), arrival => id) $over, count(*) $over, " +
        s"framed(sum(i32), arrival => id, exclude => 'ties') $over FROM t"
    )
    assert(muntinNodes(made).size === 2)
    val sorts = nodes(made) { case s: MuntinSortExec => s }
    assert(sorts.size === 1)
    assert(made.collect().length === 70)
  }

  test("if Muntin is off for OVER, it runs framed, and Spark runs the rest") {
    val sql =
      "SELECT id, sum(i32) OVER w, framed(sum(i32), exclude => 'ties') OVER w AS f FROM t " +
        "WINDOW w AS (PARTITION BY k ORDER BY i8)"
    def sorted = spark.sql(sql).collect().sortBy(_.getInt(0)).toSeq
    val on = sorted
    withMuntin(enabled = false) {
      val made = spark.sql(sql)
      assert(muntinNodes(made).size === 1 && sparkNodes(made).size === 1)
      assert(sorted === on)
    }
  }

  test("EXPLAIN shows the changes, and contiguous frames run as ordinary frames") {
    def frames(changes: String, over: String, call: String = "max(i32)"): String = muntinNodes(
      spark.sql(s"SELECT framed($call, $changes) OVER (PARTITION BY k $over) FROM t")
    ).map(_.verboseStringWithOperatorId()).mkString
    val range = "ORDER BY i8 RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING"
    val text = frames("closed => 'LEFT', exclude => 'Ties', arrival => id", range)
    assert(text.contains("FOLLOWING CLOSED left ARRIVAL") && text.contains("EXCLUDE TIES"))
    assert(text.contains("two stacks of positions, by piece"))
    assert(frames(
      "exclude => 'ties'",
      range,
      "queue(s)"
    ).contains("aligned blocks of 16, by piece"))
    assert(frames("exclude => 'ties'", range, "opaque(i64)").contains("recomputed"))
    val rows = "ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"
    assert(frames("complete => true", rows).contains("CURRENT ROW COMPLETE"))
  }

  private def motions(changes: String, frame: String): Seq[MotionPlan] =
    muntinNodes(
      spark.sql(
        s"SELECT framed(max(i32), $changes) OVER (PARTITION BY k ORDER BY i8 $frame) FROM t"
      )
    ).flatMap(_.plan.frames.map(_.motion))

  test("frames that certainly have no hole are ordinary frames") {
    val upToRow = "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"
    val upToPeers = "RANGE BETWEEN 3 PRECEDING AND CURRENT ROW"
    val growing = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    val around = "RANGE BETWEEN 3 PRECEDING AND 3 FOLLOWING"
    val contiguous = Seq(
      "exclude => 'current row'" -> upToRow,
      "exclude => 'group'" -> upToRow,
      "exclude => 'group'" -> upToPeers,
      "exclude => 'group'" -> growing,
      "exclude => 'group', arrival => id" -> upToPeers,
      "arrival => id" -> upToRow,
      "arrival => id" -> upToPeers,
      "arrival => id" -> growing,
      "closed => 'neither'" -> around,
      "exclude => 'ties'" -> "ROWS BETWEEN CURRENT ROW AND CURRENT ROW",
      "exclude => 'current row'" -> "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
      "exclude => 'group'" -> "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
      "exclude => 'current row'" -> "ROWS BETWEEN 2 FOLLOWING AND 5 FOLLOWING",
      "exclude => 'ties', groups => 'BETWEEN 5 PRECEDING AND 1 PRECEDING'" -> "",
      "exclude => 'group', groups => 'BETWEEN 5 PRECEDING AND CURRENT ROW'" -> "",
      "exclude => 'current row', groups => 'BETWEEN 1 FOLLOWING AND 2 FOLLOWING'" -> "",
      "closed => 'neither', groups => '3 PRECEDING'" -> ""
    )
    contiguous.foreach { case (changes, frame) =>
      assert(
        motions(changes, frame).map(_.getClass) === Seq(classOf[FramePlan]),
        s"$changes, $frame"
      )
    }
    assert(!motions("exclude => 'group'", growing).head.kind.evicts)
    Seq("current row", "group", "ties").foreach { e =>
      assert(motions(s"exclude => '$e'", around).map(_.getClass) === Seq(classOf[PiecedPlan]))
    }
  }

  test("a row that does not wait is emitted immediately") {
    def waits(changes: String, frame: String): Boolean = {
      val node = muntinNodes(
        spark.sql(
          s"SELECT framed(max(i32), $changes) OVER (PARTITION BY k ORDER BY i8 $frame) FROM t"
        )
      ).head
      !node.plan.isImmediate
    }
    val upToRow = "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"
    assert(!waits("exclude => 'current row'", upToRow))
    assert(!waits("exclude => 'group'", upToRow))
    assert(!waits("exclude => 'ties'", upToRow))
    assert(!waits("complete => true", upToRow))
    assert(!waits("exclude => 'group'", "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"))
    val next = "ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING"
    assert(waits("complete => true", next))
    assert(!waits("complete => true, closed => 'left'", next))
    assert(!waits("groups => 'BETWEEN 3 PRECEDING AND 1 PRECEDING'", ""))
    assert(!waits("closed => 'left', groups => '3 PRECEDING'", ""))
    assert(waits("groups => '3 PRECEDING'", ""))
    assert(waits("arrival => id", "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"))
  }

  test("the analyzer rejects invalid frames") {
    val over = "OVER (PARTITION BY k ORDER BY i8)"
    def invalid(call: String, condition: String, parameters: (String, String)*): Unit =
      assertCondition(
        intercept[AnalysisException](spark.sql(s"SELECT $call FROM t")),
        condition,
        parameters: _*
      )
    invalid(s"framed(sum(i32), complete => true) $over", "MUNTIN_COMPLETE_REQUIRES_ROWS_FRAME")
    invalid(
      s"framed(sum(i32), complete => true, groups => '2 PRECEDING') $over",
      "MUNTIN_COMPLETE_REQUIRES_ROWS_FRAME",
      "frame" -> "GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW"
    )
    Seq("arrival" -> "id", "groups" -> "'2 PRECEDING'").foreach { case (parameter, value) =>
      invalid(
        s"framed(sum(i32), $parameter => $value) OVER (PARTITION BY k)",
        "MUNTIN_FRAME_REQUIRES_ORDER_BY",
        "clause" -> parameter
      )
    }
    val wrongValue = "MUNTIN_INVALID_ARGUMENT_VALUE"
    invalid(s"framed(sum(i32), closed => 'open') $over", wrongValue, "parameter" -> "closed")
    invalid(s"framed(sum(i32), exclude => 'me') $over", wrongValue, "parameter" -> "exclude")
    invalid(s"framed(i32) $over", "MUNTIN_NOT_AN_AGGREGATE", "argument" -> "t.i32")
    invalid(s"framed(row_number()) $over", "MUNTIN_NOT_AN_AGGREGATE")
    invalid("framed(sum(i32))", "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE")
    spark.udf.register("dice", functions.udaf(MergeOnlySuite.Listing).asNondeterministic())
    assertCondition(
      intercept[AnalysisException](
        spark.sql(s"SELECT framed(dice(s)) $over FROM t").queryExecution.executedPlan
      ),
      "MUNTIN_UNSUPPORTED_WINDOW",
      "function" -> "framed"
    )
    invalid(s"framed(sum(i32), arrival => rand()) $over", "MUNTIN_NONDETERMINISTIC")
    invalid(
      s"framed(sum(i32), arrival => map(i8, i8)) $over",
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "parameter" -> "arrival"
    )
    invalid(
      s"framed(sum(i32), groups => '2 BEFORE') $over",
      wrongValue,
      "parameter" -> "groups",
      "argument" -> "'2 BEFORE'"
    )
    invalid(
      "framed(sum(i32), groups => '2 PRECEDING') OVER (ORDER BY i8 ROWS 1 PRECEDING)",
      "MUNTIN_FRAME_SPECIFIED_TWICE",
      "clause" -> "GROUPS",
      "argument" -> "'2 PRECEDING'"
    )
    invalid("is_complete(i32)", "MUNTIN_NOT_A_WINDOW", "function" -> "is_complete")
    invalid(s"is_complete(sum(i32) $over)", "MUNTIN_NOT_A_ROWS_FRAME")
  }

  test("is_complete is true for a complete frame, also if the value is null") {
    val over = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    val rows = spark
      .sql(
        s"SELECT k, id, is_complete(sum(NULLIF(i32, i32)) $over), " +
          s"framed(count(*), complete => true) $over, " +
          s"is_complete(framed(sum(i32), 'left', exclude => 'group') $over), " +
          "row_number() OVER (PARTITION BY k ORDER BY id), count(*) OVER (PARTITION BY k) FROM t"
      )
      .collect()
    rows.foreach { r =>
      val inside = r.getInt(5) > 2 && r.getInt(5) < r.getLong(6)
      assert(r.getBoolean(2) === inside)
      assert(r.getBoolean(4) === r.getInt(5) > 2)
      assert(r.isNullAt(3) === !inside)
      if (inside) assert(r.getLong(3) === 4L)
    }
  }
}

object FramedSuite {

  /** Every family of accumulators. */
  val functionsOfAllFamilies: Seq[String] = Seq(
    "count(*)",
    "count(i32)",
    "count_if(flag)",
    "count(*) FILTER (WHERE i32 > 0)",
    "sum(x)",
    "sum(wild)",
    "sum(i64)",
    "sum(d38)",
    "sum(d18) FILTER (WHERE flag)",
    "avg(d5)",
    "avg(y)",
    "avg(i8)",
    "avg(ym)",
    "min(s)",
    "max(arr)",
    "max(wild)",
    "min(d38)",
    "max(i32) FILTER (WHERE flag)",
    "min_by(s, i8)",
    "max_by(id, x)",
    "bool_and(flag)",
    "bit_and(i32)",
    "bit_or(i64)",
    "bit_xor(i16)",
    "first(s)",
    "first(i32, true)",
    "first(id) FILTER (WHERE flag)",
    "last(d5)",
    "last(st, true)",
    "any_value(i64)",
    "var_samp(y)",
    "stddev_pop(x)",
    "kurtosis(i32)",
    "corr(i8, y)",
    "covar_pop(i8, y)",
    "regr_slope(y, i32)",
    "collect_list(s)",
    "collect_list(id)",
    "collect_list(id) FILTER (WHERE flag)",
    "collect_set(i8)",
    "collect_set(s)",
    "collect_list(DISTINCT lc)",
    "approx_count_distinct(s)",
    "approx_count_distinct(i32, 0.2D)",
    "listagg(s, '-')",
    "listagg(s)",
    "listagg(bin)",
    "listagg(s, ', ') WITHIN GROUP (ORDER BY s DESC)",
    "percentile(i32, 0.3D)",
    "median(y)",
    "median(d38)",
    "percentile_approx(i32, array(0.9, 0.1))",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY y)",
    "mode(s)",
    "mode(lc)",
    "mode(i8, true)",
    "count(DISTINCT i8)",
    "count(DISTINCT s, flag)",
    "sum(DISTINCT i8)",
    "var_pop(DISTINCT i8)",
    "collect_list(DISTINCT s)",
    "string_agg(DISTINCT s, '|')",
    "max_by(s, id, 2)",
    "count_min_sketch(i32, 0.3D, 0.5D, 1)",
    "listing(coalesce(s, '?'))",
    "queue(coalesce(s, '?'))",
    "joined(s)",
    "opaque(i64)"
  ).filter(RunningSpark.hasFunctionsOf)

  /** The place of a value in Spark's ascending order. */
  def placeOf(value: Any): Option[BigDecimal] = value match {
    case null => None
    case n: Number => Some(BigDecimal(n.toString))
    case t: Timestamp => Some(BigDecimal(t.toInstant.getEpochSecond))
    case other => throw new IllegalArgumentException(s"$other")
  }

  /** An ORDER BY, and the unit of its offsets. */
  final case class Order(
      key: String,
      unit: Int,
      literal: Int => String,
      descending: Boolean,
      nullsFirst: Boolean
  ) {
    def sql: String =
      s"$key ${if (descending) "DESC" else "ASC"} NULLS ${if (nullsFirst) "FIRST" else "LAST"}"

    /** Its place in the order of the rows; earlier rows have lower places. */
    def place(value: Any): Option[BigDecimal] = placeOf(value).map(v => if (descending) -v else v)

    def compare(a: Option[BigDecimal], b: Option[BigDecimal]): Int = (a, b) match {
      case (None, None) => 0
      case (None, _) => if (nullsFirst) -1 else 1
      case (_, None) => if (nullsFirst) 1 else -1
      case (Some(x), Some(y)) => x.compare(y)
    }
  }

  object Order {
    def byNumber(key: String): Order =
      Order(key, 1, n => s"$n", descending = false, nullsFirst = true)

    def random(random: Random): Order = {
      val (key, unit, literal) = random.nextInt(3) match {
        case 0 => ("i8", 1, (n: Int) => s"$n")
        case 1 => ("i32", 3, (n: Int) => s"${3 * n}")
        case _ => ("ts", 7200, (n: Int) => s"INTERVAL '${2 * n}' HOUR")
      }
      Order(key, unit, literal, random.nextBoolean(), random.nextBoolean())
    }
  }

  sealed trait End
  case object Unbounded extends End
  final case class Offset(size: Int) extends End

  final case class Frame(
      isRange: Boolean,
      lower: End,
      upper: End,
      literal: Int => String = n => s"$n",
      isGroups: Boolean = false
  ) {
    def sql: String = s"${if (isGroups) "GROUPS" else if (isRange) "RANGE" else "ROWS"} BETWEEN " +
      s"${end(lower, "PRECEDING")} AND ${end(upper, "FOLLOWING")}"

    def ofOver: String = if (isGroups) "" else sql

    def ofFramed: String = if (isGroups) s", groups => '$sql'" else ""

    def isByPeers: Boolean = isRange || isGroups

    private def end(end: End, side: String): String = end match {
      case Unbounded => s"UNBOUNDED $side"
      case Offset(0) => "CURRENT ROW"
      case Offset(n) =>
        val size = if (isRange) literal(math.abs(n)) else s"${math.abs(n)}"
        s"$size ${if (n < 0) "PRECEDING" else "FOLLOWING"}"
    }
  }

  final case class Changes(
      closed: String,
      arrival: Option[String],
      exclude: String,
      complete: Boolean
  ) {
    def arrivalSql: String = arrival.fold("")(a => s", arrival => $a")

    def sql: String = s", closed => '$closed'$arrivalSql, exclude => '$exclude'" +
      (if (complete) ", complete => true" else "")
  }

  final case class Partition(
      keys: Vector[Option[BigDecimal]],
      arrivals: Vector[Option[BigDecimal]],
      order: Order
  ) {
    def isSorted(byArrival: Boolean): Boolean = keys.indices.drop(1).forall { i =>
      val c = order.compare(keys(i - 1), keys(i))
      c < 0 || (c == 0 && (!byArrival || compareArrivals(i - 1, i) <= 0))
    }

    // Ascending, nulls first.
    private def compareArrivals(a: Int, b: Int): Int = (arrivals(a), arrivals(b)) match {
      case (None, None) => 0
      case (None, _) => -1
      case (_, None) => 1
      case (Some(x), Some(y)) => x.compare(y)
    }

    /** Returns the rows in the frame of a row, by definition; None if the row has no result. */
    def frame(row: Int, frame: Frame, changes: Changes): Option[Seq[Int]] = {
      lazy val groups = keys.indices.scanLeft(0) { (group, i) =>
        if (i > 0 && order.compare(keys(i - 1), keys(i)) != 0) group + 1 else group
      }.tail
      def isPeer(other: Int) = order.compare(keys(other), keys(row)) == 0

      def isInside(other: Int, end: End, lower: Boolean, closed: Boolean): Boolean = end match {
        case Unbounded => true
        case Offset(n) =>
          val c =
            if (frame.isGroups) Integer.compare(groups(other), groups(row) + n)
            else if (!frame.isRange) Integer.compare(other, row + n)
            else {
              order.compare(keys(other), keys(row).map(_ + BigDecimal(n.toLong * order.unit)))
            }
          if (c == 0) closed else if (lower) c > 0 else c < 0
      }
      def isExcluded(other: Int): Boolean = changes.exclude match {
        case "current row" => other == row
        case "group" => isPeer(other)
        case "ties" => isPeer(other) && other != row
        case _ => false
      }
      def comesLater(other: Int): Boolean = frame.isByPeers && changes.arrival.isDefined &&
        isPeer(other) && compareArrivals(other, row) > 0

      val closesStart = Set("both", "left")(changes.closed)
      val closesEnd = Set("both", "right")(changes.closed)
      // The ends that belong to the frame, as distances. A frame that has no rows between them
      // misses no rows.
      val first = frame.lower match {
        case Unbounded => None
        case Offset(n) => Some(if (closesStart) n else n + 1)
      }
      val last = frame.upper match {
        case Unbounded => None
        case Offset(n) => Some(if (closesEnd) n else n - 1)
      }
      val isEmpty = first.exists(f => last.exists(f > _))
      val isThere = isEmpty || (first ++ last).forall(n => keys.indices.contains(row + n))
      if (changes.complete && !isThere) None
      else
        Some(keys.indices.filter { other =>
          isInside(other, frame.lower, lower = true, closesStart) &&
          isInside(other, frame.upper, lower = false, closesEnd) &&
          !isExcluded(other) && !comesLater(other)
        })
    }
  }

  final case class Query(
      order: Order,
      frame: Frame,
      changes: Changes,
      calls: Seq[String],
      part: String = "k"
  )

  object Query {
    def random(random: Random): Query = {
      def pick[T](values: T*): T = values(random.nextInt(values.size))
      val order = Order.random(random)
      val isRange = random.nextInt(3) > 0
      val reach = if (isRange) 3 else pick(3, 20)
      def place = random.nextInt(2 * reach + 1) - reach
      val (a, b) = (place, place)
      val lower = if (random.nextInt(4) == 0) Unbounded else Offset(math.min(a, b))
      val upper = if (random.nextInt(4) == 0) Unbounded else Offset(math.max(a, b))
      Query(
        order,
        Frame(isRange, lower, upper, order.literal),
        Changes(
          pick("both", "both", "left", "right", "neither"),
          pick(None, Some("id"), Some("i16"), Some("i8 * 0")),
          pick("no others", "current row", "group", "ties"),
          complete = !isRange && random.nextInt(3) == 0
        ),
        random.shuffle(functionsOfAllFamilies).take(6),
        // Includes one large partition.
        pick("k", "k", "flag", "id * 0")
      )
    }
  }
}

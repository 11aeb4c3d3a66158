package org.apache.spark.sql.muntin

import scala.util.Random
import scala.util.matching.Regex

import org.apache.spark.sql.types._

/**
 * A random SELECT over RandomTable: several functions in several frames, some of them in
 * expressions, some run by Spark. `calendar`: interval literals are calendar intervals.
 */
final class RandomQuery(random: Random, calendar: Boolean) {
  import RandomQuery._

  private var sparks = 0
  private var muntins = 0

  private val part =
    pick("PARTITION BY k", "PARTITION BY k", "PARTITION BY lc, k % 2", "PARTITION BY flag", "")

  /** The query; `stockSql` is an equivalent of the parts that stock Spark rejects. */
  lazy val sql: String = said.replaceAllIn(text, m => Regex.quoteReplacement(m.group(1)))

  lazy val stockSql: String = said.replaceAllIn(text, m => Regex.quoteReplacement(m.group(2)))

  private val text: String = {
    val table = pick("t", "t", "t", "t", "t", "t", "two", "none")
    val windows = Seq.fill(1 + random.nextInt(2))(new Window(part))
    val items = windows.flatMap(w => Seq.fill(1 + random.nextInt(4))(item(w)))
    // At least one window of Muntin, so that the test compares results.
    val all = if (muntins > 0) items else items :+ call("count(*)", windows.head.framed)
    val named = all.zipWithIndex.map { case (e, i) => s"$e AS r$i" }
    s"SELECT id, ${named.mkString(",\n  ")}\nFROM $table ORDER BY id"
  }

  def takenOver: TakenOver = if (sparks == 0) TakenOver.Wholly else TakenOver.Partly

  private def pick[T](values: T*): T = values(random.nextInt(values.size))

  private def chance(in: Int): Boolean = random.nextInt(in) == 0

  /**
   * Functions of one OVER clause: in its frame, and without one, for functions with their own
   * frame.
   */
  private final class Window(partition: String) {
    private val direction = pick("", "ASC", "DESC", "DESC NULLS FIRST", "ASC NULLS LAST")

    // ROWS takes rows one by one, so their order must be total.
    private val rows = random.nextBoolean()

    private val (order, frame) =
      if (rows) (s"ORDER BY ${key()} $direction, id", s"ROWS BETWEEN ${bounds(s => s"$s")}")
      else if (chance(3)) {
        val peers =
          pick(s"ORDER BY ${key()} $direction", s"ORDER BY ${key()} $direction, i8 DESC", "")
        (
          peers,
          if (peers.isEmpty) "" else pick("", s"RANGE BETWEEN ${bounds(_ => "", offsets = false)}")
        )
      } else {
        val (column, sizes) = rangeKey()
        (
          s"ORDER BY $column $direction",
          s"RANGE BETWEEN ${bounds(s => sizes(math.min(s, sizes.size) - 1))}"
        )
      }

    /** Only some functions accept a frame without an order. */
    val isOrdered: Boolean = order.nonEmpty

    val framed = s"($partition $order $frame)"

    val unframed =
      if (order.isEmpty || chance(2)) s"($partition ORDER BY ${key()} $direction, id)"
      else s"($partition $order)"

    // For functions that take rows one by one.
    private val byRow = s"$partition ORDER BY ${key()} $direction, id"

    val total = s"($byRow)"

    def rowsOf(bounds: String): String = s"($byRow ROWS BETWEEN $bounds)"

    private def key(): String =
      pick(
        "id",
        "i8",
        "i32",
        "d5",
        "x",
        "wild",
        "s",
        "lc",
        "bin",
        "day",
        "ts",
        "ym",
        "arr",
        "st",
        "flag"
      )
  }

  // Offsets in ascending size, in the direction of the order.
  private def rangeKey(): (String, Seq[String]) = pick(
    "id" -> Seq("1", "3", "20"),
    "i8" -> Seq("1", "2", "120"),
    "i16" -> Seq("2", "9", "32767"),
    "i32" -> Seq("1", "6", "2147483640"),
    "i64" -> Seq("2000000014L", "9000000000L", "9223372036854775000L"),
    "huge" -> Seq("1L", "5L", "9223372036854775807L"),
    "d5" -> Seq("0.25", "3.5", "900"),
    "d18" -> Seq("1.5", "3000", "7000.00005"),
    "d38" -> Seq("1.5", "30000000000000", "70000000000000.5"),
    "f" -> Seq("0.5F", "7.5F", "1000F"),
    "x" -> Seq("0.5D", "70D", "1000D"),
    "wild" -> Seq("1D", "1e300D"),
    "wildf" -> Seq("1F", "1e38F"),
    "day" -> (if (calendar) Seq("1", "5", "40")
              else
                pick(
                  Seq("1", "5", "40"),
                  Seq("INTERVAL '1' DAY", "INTERVAL '7' DAY"),
                  Seq("INTERVAL '1' MONTH", "INTERVAL '12' MONTH")
                )),
    "ts" -> instants,
    "ts" -> instants,
    "ntz" -> instants,
    "dt" -> (if (calendar) Seq("INTERVAL '60' MINUTE")
             else Seq("INTERVAL '60' MINUTE", "INTERVAL '10' HOUR")),
    "ym" -> (if (calendar) Seq("INTERVAL '1' MONTH")
             else Seq("INTERVAL '1' MONTH", "INTERVAL '12' MONTH"))
  )

  private def instants: Seq[String] =
    if (calendar) Seq("INTERVAL 3 HOURS", "INTERVAL 1 DAY 2 HOURS", "INTERVAL 1 MONTH 1 DAY 1 HOUR")
    else
      pick(
        Seq("INTERVAL '30' MINUTE", "INTERVAL '1' HOUR", "INTERVAL '5' HOUR"),
        Seq("INTERVAL '1' DAY", "INTERVAL '1 01:30' DAY TO MINUTE", "INTERVAL '3' DAY"),
        Seq("INTERVAL '1' MONTH", "INTERVAL '2' MONTH")
      )

  /** A pair of bounds, the lower not above the upper; places of 1 and more are offsets. */
  private def bounds(size: Int => String, offsets: Boolean = true): String = {
    val reach = if (offsets) 3 else 0
    def place = random.nextInt(2 * reach + 1) - reach
    val (lower, upper) = {
      val (a, b) = (place, place)
      (math.min(a, b), math.max(a, b))
    }
    def bound(place: Int) =
      if (place == 0) "CURRENT ROW"
      else if (place < 0) s"${size(-place)} PRECEDING"
      else s"${size(place)} FOLLOWING"
    val from = if (chance(3)) "UNBOUNDED PRECEDING" else bound(lower)
    val until = if (chance(3)) "UNBOUNDED FOLLOWING" else bound(upper)
    s"$from AND $until"
  }

  private def item(window: Window): String = random.nextInt(33) match {
    case 14 | 15 | 16 | 17 =>
      muntins += 1
      call(moving, window.total)
    case 0 =>
      sparks += 1
      call("sparks_own(i32)", window.framed)
    case 1 | 2 =>
      muntins += 1
      call(ranking, window.unframed)
    case 3 | 4 =>
      muntins += 1
      call(offset, window.unframed)
    case 5 =>
      muntins += 1
      s"y - ${call("avg(y)", window.framed)}"
    case 6 =>
      muntins += 2
      s"${call("sum(i32)", window.framed)} / nullif(${call("count(i32)", window.framed)}, 0)"
    case 7 =>
      muntins += 1
      s"coalesce(${call(s"max(${pick("s", "lc")})", window.framed)}, s, 'none')"
    case 9 | 10 | 11 | 12 | 13 =>
      muntins += 1
      refused(filter, s" OVER ${window.framed}")
    case 29 | 30 =>
      muntins += 1
      call(series + filter, window.framed)
    case 31 =>
      muntins += 1
      filled
    case 32 =>
      muntins += 1
      asWideAsTheRowSays(window)
    case 8 =>
      muntins += 1
      call(nth, if (window.isOrdered) window.framed else window.unframed)
    case _ =>
      muntins += 1
      call(aggregate + filter, window.framed)
  }

  private def filter: String =
    if (chance(4) && RunningSpark.filtersInOver) " FILTER (WHERE i32 > 0)" else ""

  private def call(function: String, window: String): String = s"$function OVER $window"

  // Muntin's own aggregates, which Spark's operator runs frame by frame.
  private def series: String = pick(
    s"counter_increase(${pick("i8", "i32", "y", "d5", "d18")})",
    s"top_n(${pick(countable: _*)}, ${1 + random.nextInt(3)})",
    s"bottom_n(${pick(countable: _*)}, 2, ${pick("i32", "y", "s")})",
    s"histogram(${pick("i32", "x", "y")}, array(-40, 0, 2.5D, 100))",
    s"ewm_mean(${pick("i32", "y")}, ${pick("half_life => 3", "alpha => 0.3", "span => 5")})"
  )

  private def filled: String = {
    val c = any
    def rows(bounds: String) = s"($part ORDER BY id ROWS BETWEEN $bounds)"
    pick(
      either(
        s"fill($c, 'last') OVER ($part ORDER BY id)",
        s"last_value($c, true) OVER ${rows("UNBOUNDED PRECEDING AND CURRENT ROW")}"
      ),
      either(
        s"fill($c, 'next') OVER ($part ORDER BY id)",
        s"first_value($c, true) OVER ${rows("CURRENT ROW AND UNBOUNDED FOLLOWING")}"
      )
    )
  }

  /**
   * A frame whose offset is an expression of the row: in stock Spark, one frame for each offset.
   */
  private def asWideAsTheRowSays(window: Window): String = {
    val function = aggregate
    val (side, other) =
      pick("PRECEDING" -> "CURRENT ROW", "PRECEDING" -> "2 FOLLOWING", "FOLLOWING" -> "7 FOLLOWING")
    def over(n: String) = call(function, window.rowsOf(s"$n $side AND $other"))
    val n = "pmod(id, 5)"
    val cases = (0 until 5).map(i => s"WHEN $i THEN ${over(i.toString)}")
    either(over(n), s"CASE $n ${cases.mkString(" ")} END")
  }

  // With Muntin's operator off, Spark's operator runs these: it keeps the rows of the window and
  // aggregates them.
  private def moving: String = {
    val inner = pick(
      aggregate,
      aggregate,
      s"count(DISTINCT $any)",
      s"median(${pick(ranked: _*)})",
      s"collect_list(DISTINCT ${pick(countable: _*)})",
      "listagg(s, '|') WITHIN GROUP (ORDER BY s DESC)"
    ) + filter
    val condition = pick("flag", "i32 > 0", "x > y", "s IS NOT NULL", "id % 3 = 0", "true")
    val n = pick("1", "2", "5", "40")
    pick(
      s"sliding($inner, $n)",
      s"sliding($inner, $n, $condition)",
      s"sliding($inner, $n, $condition, true)",
      s"sliding($inner, n => $n, partial => true)",
      s"since($inner, $condition)",
      s"since($inner, $condition)",
      s"since($inner, $condition, $n)",
      s"since($inner, $condition, $n, closed => 'left')"
    )
  }

  private def any: String = pick(names: _*)

  /** Queries that stock Spark rejects, and equivalent queries for the comparison. */
  private def refused(filter: String, over: String): String = {
    val at = filter + over
    def present(c: String, value: String) = s"CASE WHEN count($c)$at > 0 THEN $value END"
    def sorted(c: String) = s"array_sort(collect_list($c)$at)"
    random.nextInt(11) match {
      case 0 =>
        val c = pick(countable: _*)
        either(s"count(DISTINCT $c)$at", s"CAST(size(collect_set($c)$at) AS BIGINT)")
      case 1 =>
        val (a, b) = (pick(countable: _*), pick(countable: _*))
        val both = s"IF($a IS NULL OR $b IS NULL, NULL, struct($a AS a, $b AS b))"
        either(s"count(DISTINCT $a, $b)$at", s"CAST(size(collect_set($both)$at) AS BIGINT)")
      case 2 =>
        val (c, zero) = pick("i8" -> "0L", "i32" -> "0L", "i64" -> "0L", "y" -> "0D")
        val total = s"aggregate(collect_set($c)$at, $zero, (a, b) -> a + b)"
        either(s"sum(DISTINCT $c)$at", present(c, total))
      case 3 =>
        val c = pick(ranked: _*)
        val half = s"percentile($c, 0.5)$at"
        pick(
          either(s"median($c)$at", half),
          either(s"percentile_cont(0.5) WITHIN GROUP (ORDER BY $c)$at", half)
        )
      case 4 =>
        val c = pick("i8", "i32", "i64", "d5", "y")
        val p = pick("0.0D", "0.3D", "0.5D", "1.0D")
        val nth = s"CAST(greatest(1, ceil(count($c)$at * $p)) AS INT)"
        either(
          s"percentile_disc($p) WITHIN GROUP (ORDER BY $c)$at",
          present(c, s"CAST(element_at(${sorted(c)}, $nth) AS DOUBLE)")
        )
      case 5 =>
        val c = pick(countable: _*)
        either(s"collect_set($c)$at", s"array_distinct(collect_list($c)$at)")
      case 6 =>
        either(
          s"listagg(s, ', ') WITHIN GROUP (ORDER BY s DESC)$at",
          present("s", s"array_join(reverse(${sorted("s")}), ', ')")
        )
      case 7 =>
        val text = s"array_join(array_distinct(collect_list(s)$at), '|')"
        either(s"string_agg(DISTINCT s, '|')$at", present("s", text))
      case 8 =>
        val c = pick("i8", "i32", "d5", "day", "s")
        pick(s"mode($c, true)$at", s"mode() WITHIN GROUP (ORDER BY $c DESC)$at")
      case 9 => s"size(${pick("collect_set", "collect_list")}(${pick(countable: _*)})$at)"
      case 10 =>
        val c = pick(ranked: _*)
        val p = pick("0.5", "0.37", "array(0.9, 0, 0.25)")
        val functions =
          Seq("percentile") ++ Seq("percentile_approx").filterNot(_ => hasNaN(c))
        s"${pick(functions: _*)}($c, $p)$at"
    }
  }

  private def aggregate: String = random.nextInt(14) match {
    case 13 => pick(s"nth($any, ${1 + random.nextInt(4)})", s"completeness($any)", rate)
    case 0 => pick("count(*)", s"count($any)", s"count($any, $any)", "count_if(flag)", "count(1)")
    case 1 | 2 => s"${pick("sum", "sum", "try_sum")}(${pick(summed: _*)})"
    case 3 | 4 => s"${pick("avg", "avg", "try_avg")}(${pick(averaged: _*)})"
    case 5 | 6 => s"${pick("min", "max")}($any)"
    case 7 => s"${pick("min_by", "max_by")}($any, $any)"
    case 8 =>
      pick(
        s"${pick("bool_and", "bool_or")}(flag)",
        s"${pick("bit_and", "bit_or", "bit_xor")}(${pick(integers: _*)})"
      )
    case 9 =>
      val function = pick("first", "last", "any_value")
      pick(s"$function($any)", s"$function($any, true)")
    case 10 =>
      val functions =
        Seq("var_pop", "var_samp", "stddev_pop", "stddev_samp", "skewness", "kurtosis")
      s"${pick(functions: _*)}(${pick(moments: _*)})"
    case 11 =>
      val functions = Seq(
        "corr",
        "covar_pop",
        "covar_samp",
        "regr_count",
        "regr_avgx",
        "regr_avgy",
        "regr_sxx",
        "regr_syy",
        "regr_sxy",
        "regr_r2",
        "regr_slope",
        "regr_intercept"
      )
      s"${pick(functions: _*)}(${pick(moments: _*)}, ${pick(moments: _*)})"
    case 12 =>
      pick(
        s"collect_list($any)",
        s"approx_count_distinct($any)",
        "listagg(s, '-')",
        s"percentile(${pick(integers: _*)}, 0.3D)",
        s"max_by($any, id, 2)",
        "count_min_sketch(i32, 0.3D, 0.5D, 1)"
      )
  }

  private def rate: String = pick(
    "rate(i32, i32 + 3)",
    "rate(i8, greatest(i8, 0S), 2.5)",
    "rate(x, x + 1)",
    "rate(day, day + 2)",
    "rate(ts, ts + INTERVAL '90' MINUTE, INTERVAL '1' MINUTE)",
    "rate(ntz, ntz + INTERVAL '1' HOUR)"
  )

  private def nulls: String = pick("", "", " IGNORE NULLS")

  private def nth: String = s"nth_value($any, ${1 + random.nextInt(4)})$nulls"

  private def offset: String = {
    val column = any
    val shift = random.nextInt(7) - 2
    val arguments = pick(column, s"$column, $shift", s"$column, $shift, $column")
    s"${pick("lead", "lag")}($arguments)$nulls"
  }

  private def ranking: String = pick(
    "row_number()",
    "rank()",
    "dense_rank()",
    "percent_rank()",
    "cume_dist()",
    s"ntile(${1 + random.nextInt(5)})"
  )
}

private object RandomQuery {

  // The text of Muntin or of stock Spark.
  private def either(ours: String, stock: String): String = s"\u0001$ours\u0002$stock\u0003"
  private val said = "\u0001([^\u0002]*)\u0002([^\u0003]*)\u0003".r

  val names = RandomTable.columns.map(_.name)

  private def of(types: PartialFunction[DataType, Boolean]): Seq[String] =
    RandomTable.columns.filter(c => types.applyOrElse(c.dataType, (_: DataType) => false)).map(
      _.name
    )

  val integers = of { case ByteType | ShortType | IntegerType | LongType => true }

  // Values that stock Spark adds exactly: no huge values, and no value that absorbs others.
  val summed =
    Seq("i8", "i16", "i32", "i64", "huge", "d5", "d18", "d38", "vast", "f", "x", "y", "dt", "ym")
  val averaged = summed.filterNot(Set("vast"))
  val moments = Seq("i8", "i32", "x", "y", "f")

  // Types for which stock Spark collects sets.
  val countable = names.filterNot(Set("lc")).filter(RunningSpark.listsOnce)

  // Without the zeros of `wild`: stock Spark's hash table determines which zero is first.
  val ranked = summed

  // The place of NaN in stock Spark's percentile_approx depends on earlier rows.
  val hasNaN = Set("f", "x")
}

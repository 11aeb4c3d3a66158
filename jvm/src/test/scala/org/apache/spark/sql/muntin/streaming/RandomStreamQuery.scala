package org.apache.spark.sql.muntin.streaming

import java.time.Instant

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.muntin.{RandomTable, RunningSpark}
import org.apache.spark.sql.types._

/**
 * A random SELECT of several functions in several frames over a stream, and rows for it that are
 * out of order, with ties, and with gaps after which groups start again.
 */
final class RandomStreamQuery(random: Random) {
  import RandomStreamQuery._

  private val kind: Kind = pick(UniqueTimes, UniqueTimes, TiedTimes, TiedRows)
  private val partition = pick("PARTITION BY k", "PARTITION BY k", "PARTITION BY k, flag", "")
  private val order = s"ORDER BY t${if (kind == TiedRows) ", id" else ""}"

  // The number of rows of a group that may still wait for others at the end; None if unknown.
  private var following: Option[Int] = Some(0)

  /** The query over the table `t`. */
  val sql: String = {
    val items = Seq.fill(3 + random.nextInt(5))(item())
    val named = items.zipWithIndex.map { case (e, i) => s"$e AS r$i" }
    s"SELECT id, k, flag, t, ${named.mkString(",\n  ")}\nFROM t"
  }

  def mostWaiting: Option[Int] = following

  def groupOf(row: Row): Any =
    if (partition.isEmpty) ""
    else if (partition.endsWith("flag")) (row.get(1), row.get(2)) else row.get(1)

  def rows(count: Int): Seq[Row] = {
    var base = 0L
    Seq.tabulate(count) { i =>
      base += (if (random.nextInt(70) == 0) 1800L
               else if (random.nextInt(4) == 0) 0L else 2L + random.nextInt(3))
      val seconds = base + random.nextInt(25)
      val t = origin.plusSeconds(seconds)
      val time = if (kind == UniqueTimes) t.plusMillis(i.toLong) else t
      val key: Any = if (random.nextInt(20) == 0) null else s"k${random.nextInt(3)}"
      row(i, key, time)
    }
  }

  /** Advances time past every frame. */
  val last: Row = row(-1, "end", origin.plusSeconds(10000000L))

  private def row(id: Int, key: Any, time: Instant): Row =
    Row.fromSeq(Seq[Any](id, key, java.sql.Timestamp.from(time)) ++ RandomTable.columns.map { c =>
      if (random.nextInt(8) == 0) null else c.draw(random)
    })

  private def pick[T](values: T*): T = values(random.nextInt(values.size))

  private def filter: String = if (random.nextInt(4) == 0) " FILTER (WHERE i32 > 0)" else ""

  /** Returns an OVER clause with the keys and the order of the query. */
  def over(frame: String): String = s"OVER ($partition $order $frame)"

  private def wait(rows: Int): Unit = following = following.map(math.max(_, rows))

  private def item(): String = random.nextInt(if (kind == TiedTimes) 8 else 20) match {
    case 0 | 1 | 2 | 3 | 4 =>
      val (frame, grows) = bounds()
      s"${aggregate(grows)}$filter ${over(frame)}"
    case 5 | 6 =>
      val (frame, grows) = bounds()
      val changes = pick(
        "closed => 'left'",
        "closed => 'right'",
        "closed => 'neither'",
        "exclude => 'current row'",
        "exclude => 'group'",
        "exclude => 'ties'",
        // In a separate Window node, below the other.
        if (kind == TiedTimes) "arrival => id" else "closed => 'both'"
      )
      val holes = !changes.startsWith("closed")
      if (grows && holes) s"${aggregate(grows)} ${over(frame)}"
      else s"framed(${aggregate(grows)}$filter, $changes) ${over(frame)}"
    case 7 => s"${pick("rank()", "dense_rank()")} ${over("")}"
    case 8 => s"row_number() ${over("")}"
    case 9 | 10 =>
      val n = 1 + random.nextInt(4)
      val nulls = pick("", " IGNORE NULLS")
      val default = pick("", s", $any")
      if (random.nextBoolean()) {
        val c = any
        s"lag($c, $n${if (default.isEmpty) "" else s", $c"})$nulls ${over("")}"
      } else {
        if (nulls.isEmpty) wait(n) else following = None
        s"lead($any, $n)$nulls ${over("")}"
      }
    case 11 | 12 | 13 =>
      val condition = pick("flag", "i32 > 0", "x > y", "id % 3 = 0")
      pick(
        s"sliding(${aggregate(false)}$filter, ${pick("1", "3", "30")}) ${over("")}",
        s"sliding(${aggregate(false)}, ${pick("2", "20")}, $condition) ${over("")}",
        s"sliding(${aggregate(false)}, 4, $condition, true) ${over("")}"
      )
    case 14 | 15 =>
      val condition = pick("flag", "i32 > 10", "x > y", "id % 7 = 0")
      s"since(${aggregate(false)}$filter, $condition, ${pick("1", "1", "3")}) ${over("")}"
    case 16 =>
      val after = random.nextInt(3)
      wait(after)
      val frame =
        s"ROWS BETWEEN ${1 + random.nextInt(3)} PRECEDING AND ${if (after == 0) "CURRENT ROW"
          else s"$after FOLLOWING"}"
      s"framed(${aggregate(false)}, complete => true) ${over(frame)}"
    case _ =>
      val (frame, _) = bounds()
      s"nth_value($any, ${1 + random.nextInt(3)})${pick("", " IGNORE NULLS")} ${over(frame)}"
  }

  /** A frame, and whether it begins with the first row. */
  private def bounds(): (String, Boolean) = {
    val isRows = kind match {
      case UniqueTimes => random.nextBoolean()
      case TiedTimes => false
      case TiedRows => true
    }
    val sizes = if (isRows) Seq(20, 4, 1) else Seq(300, 30, 5)
    def end(place: Int): String = {
      val size = if (place == 0) 0 else sizes(3 - math.abs(place))
      val unit = if (isRows) s"$size" else s"INTERVAL '$size' SECOND"
      if (place == 0) "CURRENT ROW" else if (place < 0) s"$unit PRECEDING" else s"$unit FOLLOWING"
    }
    val (a, b) = (random.nextInt(6) - 3, random.nextInt(6) - 3)
    val grows = random.nextInt(4) == 0
    val upper = math.max(a, b)
    if (isRows && upper > 0) wait(sizes(3 - upper))
    val lower = if (grows) "UNBOUNDED PRECEDING" else end(math.min(a, b))
    (s"${if (isRows) "ROWS" else "RANGE"} BETWEEN $lower AND ${end(upper)}", grows)
  }

  private def any: String = pick(names: _*)

  private def aggregate(grows: Boolean): String = {
    val some = mutable.ArrayBuffer[() => String](
      () => pick("count(*)", s"count($any)", "count_if(flag)", s"completeness($any)"),
      () => s"sum(${pick(summed: _*)})",
      () => s"avg(${pick(summed: _*)})",
      () => s"${pick("min", "max")}(${pick(ordered: _*)})",
      () => s"${pick("min_by", "max_by")}(${pick(ordered: _*)}, id)",
      () => s"${pick("bit_and", "bit_or", "bit_xor")}(i32)",
      () =>
        s"${pick("var_pop", "var_samp", "stddev_samp", "skewness", "kurtosis")}(${pick(moments: _*)})",
      () =>
        s"${pick("corr", "covar_pop", "regr_slope", "regr_r2", "regr_intercept")}(${pick(moments: _*)}, ${pick(moments: _*)})",
      () => s"approx_count_distinct($any)",
      () =>
        s"partial(${pick("avg(y)", "sum(i32)", "max(s)", "var_pop(y)", "corr(x, y)", "count(s)")})"
    )
    if (kind != TiedTimes) some ++= Seq(
      () => s"plain_sum(y * 1.1D)",
      () => s"plain_sum(y * 1.1D)",
      () => s"${pick("first", "last", "any_value")}($any${pick("", ", true")})",
      () => s"nth($any, ${1 + random.nextInt(4)})",
      () => s"${pick("min", "max")}(${pick("wild", "lc")})",
      () => pick("rate(i32, i32 + 3)", "rate(ts, ts + INTERVAL '90' MINUTE, INTERVAL '1' MINUTE)"),
      () => Seq("max_by(s, i32, 2)", "max_by(s, i32)").find(RunningSpark.hasFunctionsOf).get
    )
    if (!grows) some ++= Seq(
      () => s"count(DISTINCT ${pick(ordered: _*)})",
      () => s"sum(DISTINCT ${pick("i32", "i64", "d5")})",
      () => s"median(${pick("i32", "d5", "y")})",
      () => s"percentile(${pick("i32", "y")}, array(0.9, 0.25))",
      () => "mode(i32, true)"
    )
    if (!grows && kind != TiedTimes) some ++= Seq(
      () => s"collect_list($any)",
      () => s"collect_set(${pick("i32", "s", "day")})",
      () => "listagg(s, '-')",
      () => "partial(collect_list(i32))"
    )
    some(random.nextInt(some.size))()
  }
}

object RandomStreamQuery {
  private sealed trait Kind

  /** Unique times: every function and frame. */
  private case object UniqueTimes extends Kind

  /** Peers in an undefined order: only functions that do not depend on it. */
  private case object TiedTimes extends Kind

  /** Peers in time that the order distinguishes. */
  private case object TiedRows extends Kind

  private val origin = Instant.parse("2024-01-01T00:00:00Z")

  val schema: StructType = StructType(
    Seq(
      StructField("id", IntegerType),
      StructField("k", StringType),
      StructField("t", TimestampType)
    ) ++
      RandomTable.columns.map(c => StructField(c.name, c.dataType))
  )

  private val names = RandomTable.columns.map(_.name)

  // Equal values always look equal.
  private val ordered = names.filterNot(Set("lc", "wild", "wildf"))
  private val summed = Seq("i8", "i16", "i32", "i64", "d5", "d18", "f", "x", "y", "dt", "ym")
  private val moments = Seq("i8", "i32", "x", "y", "f")
}

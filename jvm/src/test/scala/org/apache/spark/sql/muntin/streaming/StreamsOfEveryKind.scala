package org.apache.spark.sql.muntin.streaming

import java.sql.{Date, Timestamp}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, Period, ZoneOffset}

import io.muntin.functions.{resample, windowBy}
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.types.StructType

/** A streaming query of each kind, over rows with a column of each type. */
object StreamsOfEveryKind {

  /**
   * @param query
   *   the query over the rows, which is unchanged in each later version
   * @param settings
   *   settings of the session
   * @param isBatch
   *   whether the results of all rows equal a batch
   */
  final case class Kind(
      name: String,
      query: DataFrame => DataFrame,
      settings: Map[String, String] = Map.empty,
      outputMode: String = "append",
      isBatch: Boolean = true
  )

  val schema: StructType = StructType.fromDDL(
    "k string, t timestamp, i int, d double, i8 tinyint, i16 smallint, i64 bigint, f float, " +
      "flag boolean, d9 decimal(9, 2), d38 decimal(38, 6), bin binary, day date, ntz timestamp_ntz, " +
      "ym interval year to month, dt interval day to second, st struct<a int, b string>, " +
      "arr array<double>"
  )

  private val Origin = Instant.parse("2024-01-01T00:00:00Z")

  private def row(i: Int): Row = {
    val value = (i * 7919L) % 101 - 50
    val time = Origin.plusSeconds(i * 7L / 3 + (if (i > 35) 90 else 0))
    val values = Seq[Any](
      if (i % 11 == 0) null else s"k${i * i % 3}",
      Timestamp.from(time),
      i,
      if (i % 6 == 0) null else value * 1.1e5 + 1.0 / (i + 1),
      value.toByte,
      (value * 300).toShort,
      value * 1234567890123L,
      value.toFloat / 7,
      value % 2 == 0,
      java.math.BigDecimal.valueOf(value * 12345, 2),
      java.math.BigDecimal.valueOf(value * 1234567890123L, 6),
      Array(value.toByte, i.toByte),
      Date.valueOf(LocalDate.of(2024, 1, 1).plusDays(value)),
      LocalDateTime.ofInstant(time, ZoneOffset.UTC),
      Period.ofMonths(value.toInt),
      Duration.ofSeconds(value, value.abs * 1000L),
      Row(value.toInt, if (i % 5 == 0) null else s"längs ${value * value}"),
      if (i % 7 == 0) null else Seq[Any](value.toDouble, null, i.toDouble)
    )
    // Each type also has nulls.
    Row.fromSeq(values.zipWithIndex.map { case (v, c) =>
      if (c > 3 && (i + c) % 13 == 0) null else v
    })
  }

  /** The rows in the order of time, in three parts. */
  val parts: Seq[Seq[Row]] = Seq.tabulate(60)(row).grouped(20).toSeq

  private def marked(rows: DataFrame): DataFrame = rows.withWatermark("t", "4 seconds")

  private def sql(text: String)(rows: DataFrame): DataFrame = {
    marked(rows).createOrReplaceTempView("t")
    rows.sparkSession.sql(text)
  }

  private def inWindow(window: String, functions: Seq[String]): DataFrame => DataFrame = {
    val columns = functions.zipWithIndex.map { case (f, n) => s"$f OVER w AS c$n" }
    sql(s"SELECT k, i, ${columns.mkString(", ")} FROM t WINDOW w AS (PARTITION BY k $window)")
  }

  private def over(frame: String, functions: String*): DataFrame => DataFrame =
    inWindow(s"ORDER BY t, i $frame", functions)

  private def grouped(windows: String*): DataFrame => DataFrame =
    sql(windows.map { window =>
      s"""SELECT "$window" AS window, k, string(w) AS w, n, total, small, list, mid FROM (
         |  SELECT k, $window AS w, count(*) AS n, sum(d) AS total, min(i) FILTER (WHERE flag)
         |    AS small, collect_list(i8) AS list, median(d9) AS mid FROM t GROUP BY k, $window)"""
        .stripMargin
    }.mkString("\nUNION ALL\n"))

  private val order = MuntinConf.StreamOrder.key
  private val until = "CASE WHEN i % 9 = 0 THEN NULL ELSE t + make_dt_interval(0, 0, 0, i % 31) END"

  private def anchored(df: DataFrame): DataFrame = {
    val rows = marked(df)
    val anchors = rows.where("i % 5 = 0")
      .selectExpr(
        "k",
        "t AS at",
        "i AS j",
        "t - INTERVAL 20 SECONDS AS lo",
        "t + make_dt_interval(0, 0, 0, i % 40) AS hi"
      )
    windowBy(rows, anchors, col("t"), col("lo"), col("hi"), Seq("k"), obsolete = col("lo"))
      .agg(count("*").as("n"), sum("d").as("total"), max("f").as("f")).asInstanceOf[DataFrame]
  }

  val numbers: Seq[String] = Seq(
    "count(d)",
    "sum(d)",
    "avg(f)",
    "sum(d9)",
    "avg(d38)",
    "sum(i64)",
    "min(i16)",
    "max(d)",
    "var_samp(d)",
    "stddev_pop(f)",
    "corr(d, i)",
    "skewness(i8)",
    "median(d)",
    "mode(i8)",
    "count(DISTINCT i8)",
    "approx_count_distinct(i)",
    "bit_xor(i)",
    "bool_and(flag)",
    "max_by(st, d)",
    "collect_set(flag)",
    "plain_sum(d)"
  )

  /** Their state would be all rows. */
  private val unbounded = Seq("DISTINCT", "median", "mode", "collect_set")

  private val everyType = schema.map(_.name).drop(3)

  private val running = "ROWS UNBOUNDED PRECEDING"

  val all: Seq[Kind] = Seq(
    Kind("OVER RANGE", inWindow("ORDER BY t RANGE INTERVAL 30 SECONDS PRECEDING", numbers)),
    Kind("OVER ROWS", over("ROWS 7 PRECEDING", numbers: _*)),
    Kind(
      "OVER UNBOUNDED PRECEDING",
      over(running, numbers.filterNot(n => unbounded.exists(n.contains)): _*)
    ),
    Kind(
      "values of every type",
      over(
        "ROWS 5 PRECEDING",
        everyType.flatMap(c => Seq(s"first($c, true)", s"nth_value($c, 2)")): _*
      )
    ),
    Kind(
      "OVER, frames that look ahead",
      over(
        "ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
        "sum(d)",
        "collect_list(st)",
        "last(arr)",
        "median(f)"
      )
    ),
    Kind("lag, lead and ranks", over("", "lag(st, 3)", "lead(arr, 2)", "row_number()", "rank()")),
    Kind(
      "windows of rows that move",
      over(
        "",
        "sliding(sum(d), 4, flag)",
        "since(collect_list(i), i % 10 = 0)",
        "since(max(d9), i % 10 = 0, 2, closed => 'left')"
      )
    ),
    Kind(
      "sessions of rows, ewm, framed",
      sql(
        """SELECT k, i, session(sum(d), 15) OVER w AS a, session_number(15) OVER w AS b,
          |  ewm_mean(d, half_life => 3) OVER w AS c,
          |  ewm_std(f, half_life => INTERVAL 9 SECONDS, times => t) OVER w AS e,
          |  framed(sum(i), exclude => 'current row') OVER (w RANGE INTERVAL 20 SECONDS PRECEDING)
          |    AS g,
          |  framed(count(*), closed => 'right') OVER (w RANGE INTERVAL 20 SECONDS PRECEDING) AS h
          |FROM t WINDOW w AS (PARTITION BY k ORDER BY t)""".stripMargin
      )
    ),
    Kind("fill", over("", "fill(d9, 'last')", "fill(st, 'last', INTERVAL 1 MINUTE)", "fill(f)")),
    Kind(
      "counters, averages over time, top n",
      over(
        "ROWS 9 PRECEDING",
        "counter_increase(i8)",
        "counter_rate(i64, t)",
        "time_weighted_avg(d, t)",
        "top_n(d, 3)",
        "histogram(d, array(-1e6, 0, 1e6))",
        "delta(d9)",
        "nth(st, 2)",
        "completeness(d)"
      )
    ),
    Kind(
      "counters, averages over time, top n, running",
      over(
        running,
        "counter_increase(d9)",
        "counter_rate(d, t)",
        "time_weighted_avg(d, t, 'linear')",
        "bottom_n(i, 3, d)",
        "histogram(i, array(0, 9))"
      )
    ),
    Kind(
      "buffers of Spark's functions, running",
      over(
        running,
        "delta(d9)",
        "pct_change(d)",
        "any_value(st, true)",
        "count_min_sketch(i, 0.5D, 0.9D, 7)",
        "plain_sum(f)"
      )
    ),
    Kind(
      "ttl",
      over(
        "",
        "sliding(sum(d), 4, partial => true, ttl => 5)",
        "since(collect_list(st), false, ttl => INTERVAL 20 SECONDS)",
        "lead(i)",
        "row_number()"
      ),
      Map(MuntinConf.StreamTtl.key -> "1m"),
      // The setting does not apply to a batch.
      isBatch = false
    ),
    Kind("validity", grouped(s"validity(t, $until)", s"validity(t, $until, emit => 'element')")),
    Kind("validity, dump_at", grouped(s"validity(t, $until, dump_at => 4)")),
    Kind(
      "field_window",
      grouped("field_window(t, 45, every => 20)", "field_window(t, 30, 7, open => 'all')")
    ),
    Kind(
      "field_window by panes",
      sql(
        """SELECT k, field_window.open AS o, sum(d) AS s, max(i64) AS m, avg(d9) AS a FROM t
          |GROUP BY k, field_window(t, 30, 10)""".stripMargin
      )
    ),
    Kind("tumble, hop", grouped("tumble(t, '15 seconds')", "hop(t, 10, 40)")),
    Kind("ticks", grouped("ticks(t, 'minutely')", "ticks(t, 'minutely', span => 3)")),
    Kind("sessions", grouped("sessions(t, 4)")),
    Kind("window_by", anchored),
    Kind(
      "asof",
      df => {
        val rows = marked(df)
        rows.where("i % 2 = 0").createOrReplaceTempView("l")
        rows.where("i % 2 <> 0").createOrReplaceTempView("r")
        df.sparkSession.sql(
          """SELECT l.i, r.i AS j, r.st FROM l LEFT JOIN r
            |ON l.k <=> r.k AND asof(l.t, r.t, tolerance => '20 seconds')""".stripMargin
        )
      }
    ),
    Kind(
      "resample, fill",
      df =>
        resample(marked(df).select("k", "t", "d"), "t", "7 seconds", Seq("k"))
          .fill("linear").asInstanceOf[DataFrame]
    ),
    Kind(
      "resample, agg",
      df =>
        resample(marked(df), "t", "7 seconds", Seq("k"))
          .agg(count("*").as("n"), sum("d").as("s"), expr("median(f)").as("m"))
          .asInstanceOf[DataFrame]
    ),
    Kind(
      "windows over windows",
      sql(
        """SELECT *, avg(ahead) OVER (PARTITION BY i % 2 ORDER BY t RANGE BETWEEN
          |  INTERVAL 60 SECONDS PRECEDING AND INTERVAL 10 SECONDS FOLLOWING) AS twice
          |FROM (SELECT k, t, i, count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN CURRENT ROW
          |  AND INTERVAL 30 SECONDS FOLLOWING) AS ahead FROM t)""".stripMargin
      )
    ),
    Kind(
      "partials",
      sql(
        """SELECT k, at, merge_partial(sum(p)) OVER (PARTITION BY k ORDER BY at
          |  RANGE INTERVAL 2 MINUTES PRECEDING) AS s FROM (
          |  SELECT k, tumble.end AS at, partial(sum(d)) AS p FROM t GROUP BY k, tumble(t, 10))"""
          .stripMargin
      )
    ),
    Kind(
      "order of arrival",
      over("ROWS 7 PRECEDING", "sum(d)", "max(st)"),
      Map(order -> "arrival")
    ),
    Kind("order group", over("ROWS 7 PRECEDING", "sum(d)", "max(st)"), Map(order -> "group")),
    Kind(
      "snapshots of the store",
      over("ROWS 7 PRECEDING", "sum(d)", "collect_list(st)"),
      Map(
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "false",
        "spark.sql.streaming.stateStore.minDeltasForSnapshot" -> "1"
      )
    ),
    Kind(
      "the store's format 2",
      over("ROWS 7 PRECEDING", "sum(d)", "collect_list(st)"),
      Map("spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2")
    ),
    Kind(
      "output mode update",
      sql(
        """SELECT k, w.open AS o, n, total, revision() AS r FROM (
          |  SELECT k, field_window(t, 30, 10) AS w, count(*) AS n, sum(d) AS total FROM t
          |  GROUP BY k, field_window(t, 30, 10))""".stripMargin
      ),
      outputMode = "update"
    )
  )
}

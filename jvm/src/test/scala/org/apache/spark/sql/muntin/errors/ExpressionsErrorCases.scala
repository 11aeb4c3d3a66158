package org.apache.spark.sql.muntin.errors

import java.time.{Duration, Instant}
import java.util.{ArrayList, HashMap}

import io.muntin.functions.{aggregations, asofJoin, clock, over, rolling}
import org.apache.spark.api.python.SimplePythonFunction
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.expressions.PythonUDAF
import org.apache.spark.sql.functions.{call_function, col, sum}
import org.apache.spark.sql.muntin.execution.split.TaskRows
import org.apache.spark.sql.muntin.spark.{
  MuntinAnalysisException,
  MuntinRuntimeException,
  OutOfMemory
}
import org.apache.spark.sql.types.DoubleType

/** Errors of functions' arguments, of partials, of rows, and of the Scala API. */
object ExpressionsErrorCases {
  import ErrorCase.sql

  def all: Seq[ErrorCase] = arguments ++ aggregates ++ tumbling ++ fields ++ times ++ offsets ++
    overClauses ++ places ++ partials ++ rows ++ anchors ++ limits ++ streams ++ scala

  private def code(condition: String, parameters: (String, String)*)(
      run: SparkSession => Any
  ): ErrorCase = ErrorCase(condition, parameters.toMap, run)

  /** The case of GROUP BY `window` over readings. */
  private def grouped(
      condition: String,
      window: String,
      parameters: (String, String)*
  ): ErrorCase =
    sql(condition, s"SELECT count(*) FROM readings GROUP BY $window", parameters: _*)

  /** The case of GROUP BY `window` over rows `s`, `e`. */
  private def valued(
      condition: String,
      values: String,
      window: String,
      parameters: (String, String)*
  ): ErrorCase =
    sql(condition, s"SELECT count(*) FROM VALUES $values GROUP BY $window", parameters: _*)

  private def arguments: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_INVALID_ARGUMENT_VALUE",
      "SELECT sliding(sum(x), 0) OVER (ORDER BY at) FROM readings",
      "function" -> "sliding",
      "parameter" -> "n",
      "argument" -> "0",
      "expected" -> "a positive integer literal of at most 2147483647"
    ),
    sql(
      "MUNTIN_INVALID_ARGUMENT_TYPE",
      "SELECT delta(sensor) FROM readings",
      "function" -> "delta",
      "parameter" -> "x",
      "argument" -> "readings.sensor",
      "type" -> "STRING",
      "expected" -> "a number, such as unix_micros(t)"
    ),
    sql(
      "MUNTIN_NONDETERMINISTIC",
      "SELECT sliding(sum(x), 3, rand() > x) OVER (ORDER BY at) FROM readings",
      "function" -> "sliding"
    ),
    sql(
      "MUNTIN_WINDOW_FUNCTION_IN_ARGUMENT",
      "SELECT count(*) FROM readings GROUP BY field_window(row_number() OVER (ORDER BY x), 3)",
      "function" -> "field_window",
      "parameter" -> "field"
    ),
    sql(
      "MUNTIN_EWM_BY_TIME_REQUIRES_HALF_LIFE",
      "SELECT ewm_mean(x, span => 3, times => at) OVER (ORDER BY at) FROM readings",
      "function" -> "ewm_mean",
      "parameter" -> "span",
      "argument" -> "3"
    ),
    sql(
      "MUNTIN_EWM_REQUIRES_ONE_DECAY",
      "SELECT ewm_mean(x) OVER (ORDER BY at) FROM readings",
      "function" -> "ewm_mean",
      "arguments" -> "none"
    ),
    sql(
      "MUNTIN_EWM_REQUIRES_ONE_DECAY",
      "SELECT ewm_mean(x, span => 3, com => 2) OVER (ORDER BY at) FROM readings",
      "arguments" -> "span => 3, com => 2"
    ),
    sql(
      "MUNTIN_IGNORE_NA_BY_TIME",
      "SELECT ewm_mean(x, INTERVAL 1 HOUR, ignore_na => true, times => at) OVER (ORDER BY at) " +
        "FROM readings",
      "function" -> "ewm_mean"
    )
  )

  private def aggregates: Seq[ErrorCase] = Seq(
    "MUNTIN_AGGREGATE_HAS_WINDOW" -> "sliding(sliding(sum(x), 3), 3) OVER (ORDER BY at)",
    "MUNTIN_OVER_INSIDE_FUNCTION" -> "sliding(sum(x) OVER (ORDER BY at), 3) OVER (ORDER BY at)",
    "MUNTIN_NOT_AN_AGGREGATE" -> "sliding(x, 3) OVER (ORDER BY at)",
    "MUNTIN_GROUPED_PYTHON_AGGREGATE" -> "partial(expressions_mean(x))",
    "MUNTIN_PYTHON_AGGREGATE_NAMED_ARGUMENT" ->
      "sliding(expressions_mean(x => x), 3) OVER (ORDER BY at)"
  ).map { case (condition, item) =>
    code(condition, "function" -> item.takeWhile(_ != '(')) { spark =>
      registerPython(spark)
      spark.sql(s"SELECT $item FROM readings").collect()
    }
  }

  /** Registers a Python aggregate that only a plan can have. */
  private def registerPython(spark: SparkSession): Unit = {
    val function = new SimplePythonFunction(
      Array.emptyByteArray,
      new HashMap[String, String],
      new ArrayList[String],
      "python3",
      "3.11",
      new ArrayList,
      null
    )
    spark.asInstanceOf[classic.SparkSession].sessionState.functionRegistry
      .createOrReplaceTempFunction(
        "expressions_mean",
        PythonUDAF(
          "expressions_mean",
          function,
          DoubleType,
          _,
          udfDeterministic = true
        ),
        "python_udf"
      )
  }

  private def tumbling: Seq[ErrorCase] = Seq(
    grouped(
      "MUNTIN_MIXED_MONTHS",
      "hop(at, '1 month', '1 week')",
      "function" -> "hop",
      "parameter" -> "size",
      "argument" -> "'1 week'"
    ),
    grouped(
      "MUNTIN_OFFSET_WITH_MONTHS",
      "tumble(at, '1 day', '1 month')",
      "function" -> "tumble",
      "offset" -> "'1 month'",
      "size" -> "'1 day'"
    ),
    grouped(
      "MUNTIN_TIME_ZONE_WITHOUT_CALENDAR",
      "tumble(at, '1 hour', time_zone => 'Asia/Tokyo')",
      "function" -> "tumble",
      "timeZone" -> "'Asia/Tokyo'"
    ),
    grouped(
      "MUNTIN_TIME_ZONE_OF_LOCAL_TIME",
      "ticks(CAST(at AS DATE), 'daily', 'UTC')",
      "function" -> "ticks",
      "parameter" -> "timezone",
      "argument" -> "'UTC'",
      "type" -> "DATE"
    ),
    grouped(
      "MUNTIN_WINDOWS_WITH_GAPS",
      "hop(at, '2 hours', '1 hour')",
      "function" -> "hop",
      "parameter" -> "slide",
      "argument" -> "'2 hours'",
      "size" -> "'1 hour'"
    ),
    grouped(
      "MUNTIN_DURATION_WITH_MONTHS",
      "field_window(at, INTERVAL 1 MONTH)",
      "function" -> "field_window",
      "parameter" -> "size",
      "argument" -> "INTERVAL '1' MONTH"
    )
  )

  private def fields: Seq[ErrorCase] = Seq(
    grouped(
      "MUNTIN_WINDOWS_WITH_GAPS",
      "field_window(x, 3, 4)",
      "function" -> "field_window",
      "parameter" -> "advance"
    ),
    grouped(
      "MUNTIN_EVERY_EXCEEDS_SIZE",
      "field_window(x, 3, 1, every => 4)",
      "function" -> "field_window",
      "every" -> "4",
      "size" -> "3"
    ),
    grouped("MUNTIN_ADVANCE_REQUIRES_SIZE", "field_window(x, NULL, 3)", "advance" -> "3"),
    grouped("MUNTIN_OFFSET_REQUIRES_ADVANCE", "field_window(x, 3, offset => 1)", "offset" -> "1"),
    grouped("MUNTIN_WINDOW_EXCEEDS_BIGINT", "field_window(x, 1e10D, 1e-10D)"),
    grouped(
      "MUNTIN_TOO_MANY_RUNNING_RESULTS",
      "field_window(x, 100000, 1, every => 1)",
      "every" -> "1",
      "windows" -> "100000",
      "results" -> "100000",
      "limit" -> "1024"
    ),
    grouped(
      "MUNTIN_TOO_MANY_DIGITS",
      "field_window(CAST(x AS DECIMAL(38, 2)), 0.0001)",
      "parameter" -> "field",
      "type" -> "DECIMAL(38,2)",
      "limit" -> "38"
    )
  )

  private def times: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_TIME_STEP_OUT_OF_RANGE",
      "SELECT time_steps(CAST(-127 AS TINYINT), CAST(0 AS TINYINT), 10)",
      "function" -> "time_steps",
      "value" -> "-127",
      "every" -> "10",
      "type" -> "TINYINT"
    ),
    sql(
      "MUNTIN_INCOMPATIBLE_WINDOW_TIMES",
      "SELECT count(*) FROM calls GROUP BY validity(who, began)",
      "function" -> "validity",
      "types" -> "`calls.who` STRING, `calls.began` INT"
    ),
    sql(
      "MUNTIN_DUMP_AT_WITH_ELEMENTS",
      "SELECT count(*) FROM calls GROUP BY validity(began, ended, 2, 'element')",
      "function" -> "validity",
      "dumpAt" -> "2"
    ),
    sql(
      "MUNTIN_INCOMPATIBLE_TIMES",
      "SELECT rate(who, began) FROM calls",
      "function" -> "rate",
      "start" -> "calls.who",
      "startType" -> "STRING",
      "end" -> "calls.began",
      "endType" -> "INT"
    ),
    sql(
      "MUNTIN_RATE_ENDS_BEFORE_START",
      "SELECT rate(s, e) FROM VALUES (7, 6) AS t(s, e)",
      "function" -> "rate"
    ),
    sql(
      "MUNTIN_DECREASING_TIMES",
      "SELECT time_weighted_avg(began, began) OVER (ORDER BY began DESC) FROM calls",
      "function" -> "time_weighted_avg",
      "parameter" -> "at",
      "time" -> "calls.began",
      "previous" -> "20",
      "current" -> "15"
    ),
    sql(
      "MUNTIN_RANGE_OF_DURATIONS_WITHOUT_TIME",
      "SELECT row_time(who) FROM calls",
      "order" -> "calls.who",
      "type" -> "STRING"
    ),
    code("MUNTIN_RANGE_OF_DURATIONS_NOT_ASCENDING") { spark =>
      val hour = over(Nil, col("at").desc, Duration.ofHours(-1), Duration.ZERO)
      spark.table("readings").select(sum("x").over(hour)).collect()
    },
    grouped(
      "MUNTIN_INVALID_SCHEDULE",
      "ticks(at, 'fortnightly')",
      "function" -> "ticks",
      "schedule" -> "fortnightly",
      "error" -> "it does not have five fields"
    ),
    grouped("MUNTIN_NULL_TICK_TIME", "ticks(at, 'daily')", "function" -> "ticks")
  )

  private def offsets: Seq[ErrorCase] = Seq(
    (
      "MUNTIN_NULL_FRAME_OFFSET",
      "ORDER BY began ROWS ended PRECEDING",
      Seq("kind" -> "ROWS")
    ),
    (
      "MUNTIN_NEGATIVE_FRAME_OFFSET",
      "ORDER BY began ROWS began - 1 PRECEDING",
      Seq("kind" -> "ROWS", "value" -> "-1L")
    ),
    (
      "MUNTIN_INVALID_FRAME_OFFSET_TYPE",
      "ORDER BY began GROUPS began / 2 PRECEDING",
      Seq("kind" -> "GROUPS", "type" -> "DOUBLE", "counted" -> "groups")
    ),
    (
      "MUNTIN_INVALID_RANGE_OFFSET_TYPE",
      "ORDER BY began RANGE make_interval(0, 0, 0, ended) PRECEDING",
      Seq("type" -> "INTERVAL", "orderType" -> "INT")
    ),
    (
      "MUNTIN_RANGE_REQUIRES_ONE_ORDER",
      "ORDER BY began, who RANGE ended PRECEDING",
      Seq("count" -> "2")
    ),
    ("MUNTIN_FRAME_REQUIRES_ORDER_BY", "GROUPS began PRECEDING", Seq("clause" -> "GROUPS"))
  ).map { case (condition, frame, parameters) =>
    sql(condition, s"SELECT sum(began) OVER ($frame) FROM calls", parameters: _*)
  } :+ sql(
    "MUNTIN_NOT_POSITIVE_IN_ROW",
    "SELECT nth_value(who, began) OVER (ORDER BY began) FROM calls",
    "function" -> "nth_value",
    "value" -> "0"
  )

  private def overClauses: Seq[ErrorCase] = Seq(
    (
      "MUNTIN_CLAUSE_OF_INNER_AGGREGATE",
      "sliding(sum(x), 3) FILTER (WHERE x > 0) OVER (ORDER BY at)",
      Seq("function" -> "sliding", "clause" -> "FILTER")
    ),
    (
      "MUNTIN_CLAUSE_OF_FILL",
      "fill(x) FILTER (WHERE x > 0) OVER (ORDER BY at)",
      Seq("function" -> "fill")
    ),
    (
      "MUNTIN_UNEXPECTED_FRAME",
      "since(sum(x), x > 1) OVER (ORDER BY at ROWS 3 PRECEDING)",
      Seq(
        "function" -> "since",
        "frame" -> "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"
      )
    ),
    ("MUNTIN_UNEXPECTED_FRAME", "fill(x) OVER (ORDER BY at ROWS 3 PRECEDING)", Nil),
    ("MUNTIN_MISSING_ORDER_BY", "sliding(sum(x), 3) OVER ()", Seq("function" -> "sliding")),
    ("MUNTIN_MISSING_ORDER_BY", "fill(x) OVER ()", Seq("function" -> "fill")),
    (
      "MUNTIN_FRAME_SPECIFIED_TWICE",
      "framed(sum(x), groups => '2 PRECEDING') OVER (ORDER BY at ROWS 1 PRECEDING)",
      Seq("clause" -> "GROUPS", "argument" -> "'2 PRECEDING'")
    ),
    (
      "MUNTIN_NOT_A_WINDOW",
      "is_complete(x)",
      Seq("function" -> "is_complete", "argument" -> "readings.x")
    ),
    (
      "MUNTIN_NOT_A_ROWS_FRAME",
      "is_complete(sum(x) OVER (ORDER BY at))",
      Seq("function" -> "is_complete")
    )
  ).map { case (condition, item, parameters) =>
    sql(condition, s"SELECT $item FROM readings", parameters: _*)
  }

  private def places: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_MISPLACED_WINDOW",
      "SELECT sessions(at, 60) FROM readings",
      "function" -> "sessions",
      "place" -> "Project"
    ),
    sql("MUNTIN_MISPLACED_BOUND", "SELECT * FROM readings WHERE bound(sensor IS NULL) OR x > 1"),
    sql(
      "MUNTIN_MISPLACED_AS_OF",
      "SELECT * FROM calls AS a JOIN calls AS b ON NOT asof(a.began, b.began)"
    )
  )

  private def partials: Seq[ErrorCase] = {
    val counted = "(SELECT partial(count(x)) AS p FROM readings)"
    Seq(
      sql(
        "MUNTIN_UNREADABLE_PARTIAL",
        "SELECT merge_partial(sum(p)) FROM (SELECT " +
          "named_struct('v1', named_struct('x', 1), 'count', 1L, 'sum', X'08') AS p)",
        "function" -> "merge_partial",
        "error" -> "1 bytes are not a sum of version 1"
      ),
      sql(
        "MUNTIN_INCOMPLETE_PARTIAL",
        s"SELECT merge_partial(avg(p)) FROM $counted",
        "function" -> "merge_partial",
        "required" -> "count, sum",
        "stored" -> "count",
        "supported" -> "count"
      ),
      sql("MUNTIN_PARTIAL_OF_ONE_INPUT", s"SELECT merge_partial(corr(p)) FROM $counted"),
      sql(
        "MUNTIN_NOT_A_PARTIAL",
        "SELECT merge_partial(sum(x)) FROM readings",
        "function" -> "merge_partial",
        "type" -> "DOUBLE"
      ),
      sql(
        "MUNTIN_PARTIAL_OF_NEWER_VERSION",
        "SELECT merge_partial(sum(p)) FROM " +
          "(SELECT named_struct('v2', named_struct('x', 1), 's', 2) AS p)",
        "layout" -> "v2",
        "supported" -> "v1"
      ),
      sql("MUNTIN_PARTIAL_OF_PARTIAL", "SELECT partial(partial(sum(x))) FROM readings"),
      sql(
        "MUNTIN_AGGREGATE_WITHOUT_PARTIALS",
        "SELECT partial(count(DISTINCT sensor, x)) FROM readings"
      ),
      sql(
        "MUNTIN_NEGATIVE_FREQUENCY",
        "SELECT partial(percentile(x, 0.5, x - 3)) FROM VALUES (1) AS t(x)",
        "value" -> "-2"
      ),
      // A guard: all aggregates in merge_partial read a partial.
      code("MUNTIN_AGGREGATE_WITHOUT_PARTIAL") { _ =>
        val values = Seq("function" -> "merge_partial", "aggregate" -> "f()")
        throw new MuntinAnalysisException("MUNTIN_AGGREGATE_WITHOUT_PARTIAL", values: _*)
      }
    )
  }

  private def rows: Seq[ErrorCase] = Seq(
    grouped(
      "MUNTIN_NULL_WINDOW_FIELD",
      "tumble(at, '1 hour')",
      "function" -> "tumble",
      "parameter" -> "time",
      "row" -> "at = NULL"
    ),
    valued(
      "MUNTIN_WINDOW_FIELD_NOT_FINITE",
      "(double('nan')) AS t(s)",
      "field_window(s, 30, 30)",
      "function" -> "field_window",
      "value" -> "NaN",
      "row" -> "s = NaN"
    ),
    valued(
      "MUNTIN_WINDOW_FIELD_TOO_LARGE",
      "(1e300D) AS t(s)",
      "field_window(s, 30, 30)",
      "value" -> "1.0E300"
    ),
    valued(
      "MUNTIN_WINDOW_FIELD_OUT_OF_RANGE",
      "(9223372036854775800L) AS t(s)",
      "field_window(s, 30, 30)",
      "value" -> "9223372036854775800"
    ),
    valued(
      "MUNTIN_WINDOW_OUT_OF_RANGE",
      "(125Y) AS t(s)",
      "field_window(s, 30, 30)",
      "start" -> "120",
      "end" -> "150",
      "type" -> "TINYINT"
    ),
    valued(
      "MUNTIN_SESSION_OUT_OF_RANGE",
      "(120Y) AS t(s)",
      "sessions(s, 10)",
      "last" -> "120",
      "gap" -> "10",
      "type" -> "TINYINT"
    ),
    valued(
      "MUNTIN_NULL_VALIDITY_START",
      "(1, 2), (NULL, 3) AS t(s, e)",
      "validity(s, e)",
      "function" -> "validity",
      "filter" -> "s <= coalesce(e, s)",
      "row" -> "s = NULL, e = 3"
    ),
    sql(
      "MUNTIN_VALIDITY_ENDS_BEFORE_START",
      "SELECT intervals(count(*), s, e) FROM VALUES (5, 3) AS t(s, e)",
      "function" -> "intervals",
      "row" -> "start = 5, end = 3"
    )
  )

  private def anchors: Seq[ErrorCase] = {
    def of(condition: String, anchors: String, more: String, parameters: (String, String)*) = sql(
      condition,
      s"SELECT n FROM window_by(TABLE(readings), TABLE(SELECT * FROM VALUES $anchors), " +
        s"'count(*) AS n', 'x', 'lo', 'hi'$more)",
      parameters :+ ("function" -> "window_by"): _*
    )
    val promising = ", obsolete => 'gone', order => 'hi'"
    Seq(
      of(
        "MUNTIN_NULL_ANCHOR_TIME",
        "(1D, 2D), (NULL, 3D) AS a(lo, hi)",
        "",
        "parameter" -> "start",
        "row" -> "lo = NULL, hi = 3.0"
      ),
      of(
        "MUNTIN_NULL_ANCHOR_TIME",
        "(1D, 2D), (3D, NULL) AS a(lo, hi)",
        "",
        "parameter" -> "end"
      ),
      of(
        "MUNTIN_ANCHOR_END_NOT_FINITE",
        "(1D, double('infinity')) AS a(lo, hi)",
        "",
        "parameter" -> "end"
      ),
      of(
        "MUNTIN_ANCHOR_STARTS_AFTER_END",
        "(3D, 2D) AS a(lo, hi)",
        "",
        "row" -> "lo = 3.0, hi = 2.0"
      ),
      of(
        "MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE",
        "(1D, 3D, 3D), (2D, 5D, 3D) AS a(lo, hi, gone)",
        promising,
        "obsolete" -> "gone",
        "row" -> "lo = 2.0, hi = 5.0, gone = 3.0",
        "earlier" -> "lo = 1.0, hi = 3.0, gone = 3.0"
      ),
      of(
        "MUNTIN_OBSOLETE_DECREASES",
        "(1D, 3D, 3D), (4D, 5D, 2D) AS a(lo, hi, gone)",
        promising,
        "obsolete" -> "gone",
        "row" -> "lo = 4.0, hi = 5.0, gone = 2.0"
      )
    )
  }

  private def limits: Seq[ErrorCase] = Seq(
    // Spark rejects DISTINCT for most Python aggregates itself.
    code("MUNTIN_PYTHON_AGGREGATE_DISTINCT") { _ =>
      val values = Seq("function" -> "sliding", "aggregate" -> "mean(DISTINCT x)")
      throw new MuntinAnalysisException("MUNTIN_PYTHON_AGGREGATE_DISTINCT", values: _*)
    },
    // A group of 2 GiB takes too long for a test.
    code("MUNTIN_GROUP_TOO_LARGE") { _ =>
      val values = Seq("function" -> "intervals", "limit" -> "2147483632")
      throw new MuntinRuntimeException("MUNTIN_GROUP_TOO_LARGE", values: _*)
    },
    code("MUNTIN_SPLIT_READ_REMOVED", "setting" -> "spark.muntin.split.enabled") { spark =>
      val plan = spark.sql("SELECT 1").asInstanceOf[classic.DataFrame].queryExecution.executedPlan
      TaskRows.map(plan, isSplit = true)(_ => Iterator.empty)
    },
    // Assertions do not catch the error itself.
    code("MUNTIN_OUT_OF_MEMORY") { _ =>
      throw OutOfMemory.ofWindows(requested = 10L, granted = 0L).getCause
    }
  )

  private def streams: Seq[ErrorCase] = {
    def rates(spark: SparkSession) =
      spark.readStream.format("rate").load().withWatermark("timestamp", "1 minute")
    Seq(
      code("MUNTIN_ENDLESS_WINDOW_ON_STREAM") { spark =>
        rates(spark).groupBy(call_function("field_window", col("timestamp"))).count()
      },
      code("MUNTIN_DUMP_AT_IN_ORDER_OF_ARRIVAL", "function" -> "validity", "dumpAt" -> "5") {
        spark =>
          spark.conf.set("spark.muntin.stream.order", "arrival")
          try {
            rates(spark).createOrReplaceTempView("expressions_rates")
            spark.sql(
              "SELECT value, count(*) FROM expressions_rates " +
                "GROUP BY value, validity(timestamp, timestamp, dump_at => 5)"
            )
          } finally spark.conf.unset("spark.muntin.stream.order")
      }
    )
  }

  private def scala: Seq[ErrorCase] = {
    val start = Instant.EPOCH
    Seq(
      code("MUNTIN_CLOCK_STOPS_BEFORE_START", "start" -> "3", "stop" -> "2")(clock(_, 3L, 2L, 1L)),
      code("MUNTIN_CLOCK_STOPS_BEFORE_START")(
        clock(_, start, start.minusSeconds(1L), Duration.ofSeconds(1L))
      ),
      code("MUNTIN_INVALID_ARGUMENT_VALUE", "function" -> "clock", "parameter" -> "every")(
        clock(_, 3L, 4L, 0L)
      ),
      code("MUNTIN_DUPLICATE_AGGREGATION_NAME", "name" -> "S") { _ =>
        aggregations(Seq(Seq("SUM", "x", "s"), Seq("AVG", "x", "S")))
      },
      code(
        "MUNTIN_INVALID_AGGREGATION",
        "list" -> "['SUMM', 'x', 's']",
        "part" -> "function",
        "value" -> "'SUMM'"
      )(_ => aggregations(Seq(Seq("SUMM", "x", "s")))),
      code("MUNTIN_TYPE_OF_STRUCTS")(_ => aggregations(Seq(Seq("NEST", "*", "all", "double")))),
      code("MUNTIN_DUPLICATE_COLUMN_AFTER_JOIN", "column" -> "who", "renamed" -> "who_right") {
        spark =>
          val left = spark.table("calls").selectExpr("began", "who", "who AS who_right")
          asofJoin(left, spark.table("calls"), "began")
      },
      code("MUNTIN_EMPTY_ROLLING_WINDOW", "size" -> "1", "closed" -> "'neither'") { _ =>
        rolling(sum("x"), 1, Nil, Seq(col("at")), closed = "neither")
      },
      code("MUNTIN_ROLLING_WITHOUT_ORDER")(_ => rolling(sum("x"), 3, Nil)),
      code("MUNTIN_RANGE_OF_SEVERAL_COLUMNS", "columns" -> "2") { _ =>
        rolling(sum("x"), "1 hour", Nil, Seq(col("at"), col("x")))
      },
      code("MUNTIN_FRAME_WITHOUT_ORDER", "frame" -> "groups")(_ => over(Nil, Nil, (-1L, 0L)))
    )
  }
}

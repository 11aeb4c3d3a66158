package org.apache.spark.sql.muntin.errors

import java.nio.file.Files
import java.util.{ArrayList, HashMap}

import io.muntin.functions.{rolling, sliding}
import org.apache.spark.api.python.{PythonBroadcast, SimplePythonFunction}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.{classic, functions, SparkSession}
import org.apache.spark.sql.catalyst.expressions.PythonUDAF
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{avg, col}
import org.apache.spark.sql.muntin.{
  JarTexts,
  MergeOnlySuite,
  Registration,
  RunningSpark,
  Tables,
  ThisJar,
  Warnings
}
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.checks.{
  WarnEmptyFrames,
  WarnIntervalsOfNumbers,
  WarnSettings
}
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.types.DoubleType

/** Errors and warnings of queries' plans, of settings, and of the jar's start. */
object PlansErrorCases {
  import ErrorCase.sql

  def all: Seq[ErrorCase] = windowBy ++ asOf ++ resample ++ tables ++ frames ++ ordered ++
    groups ++ python ++ warnings ++ sessions ++ jar ++ streams ++ refresh

  private def by(arguments: String): String =
    s"SELECT * FROM window_by(TABLE(readings), TABLE(SELECT at AS until, x AS y FROM readings), " +
      s"$arguments)"

  private val times = "'at', 'until', 'until'"

  private def windowBy: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_AGGREGATE_OF_ANCHOR",
      by(s"'max(y) AS m', $times"),
      "function" -> "window_by",
      "argument" -> "y"
    ),
    sql(
      "MUNTIN_COLUMN_OUTSIDE_AGGREGATE",
      by(s"'x', $times"),
      "function" -> "window_by",
      "column" -> "x"
    ),
    sql("MUNTIN_OUTPUT_WITHOUT_AGGREGATE", by(s"'1 AS one', $times"), "output" -> "1"),
    sql("MUNTIN_ORDERED_WITHOUT_ORDER", by(s"'count(*) AS n', $times, ordered => true")),
    sql(
      "MUNTIN_INCOMPATIBLE_WINDOW_TIMES",
      "SELECT * FROM window_by(TABLE(readings), TABLE(calls), 'count(*) AS n', 'at', 'began', " +
        "'began')",
      "types" -> "time TIMESTAMP, start INT, end INT"
    ),
    sql("MUNTIN_MISPLACED_TABLE_FUNCTION", "SELECT window_by(1, 2, 3, 4)", "place" -> "Project")
  )

  private def join(condition: String, kind: String = "LEFT"): String =
    s"SELECT * FROM calls a $kind JOIN calls b ON $condition"

  private def asOf: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_ARGUMENT_OF_OTHER_TABLE",
      join("asof(b.began, a.began)"),
      "function" -> "asof",
      "parameter" -> "left_time",
      "argument" -> "began",
      "table" -> "the left side of the join"
    ),
    sql(
      "MUNTIN_AS_OF_CONDITION_ON_BOTH_SIDES",
      join("asof(a.began, b.began) AND a.ended < b.ended"),
      "condition" -> "(ended < ended)"
    ),
    sql(
      "MUNTIN_SEVERAL_AS_OF_CONDITIONS",
      join("asof(a.began, b.began) AND asof(a.ended, b.ended)")
    ),
    sql(
      "MUNTIN_UNSUPPORTED_AS_OF_JOIN_TYPE",
      join("asof(a.began, b.began)", "RIGHT"),
      "joinType" -> "RIGHT OUTER"
    ),
    sql(
      "MUNTIN_INCOMPATIBLE_AS_OF_TIMES",
      "SELECT * FROM calls JOIN readings ON asof(began, at)",
      "left" -> "began",
      "leftType" -> "INT",
      "right" -> "at",
      "rightType" -> "TIMESTAMP"
    )
  )

  private def resample: Seq[ErrorCase] = {
    def text(arguments: String) = s"SELECT * FROM resample(TABLE(calls), $arguments)"
    Seq(
      sql(
        "MUNTIN_ARGUMENT_WITHOUT_EFFECT",
        text("'began', 5, aggregates => 'count(*) AS n', max_gap => 1"),
        "function" -> "resample",
        "parameter" -> "max_gap",
        "argument" -> "1",
        "required" -> "fill"
      ),
      sql(
        "MUNTIN_DUPLICATE_FILLED_COLUMN",
        "SELECT * FROM resample(TABLE(SELECT *, 1 AS filled FROM calls), 'began', 5, " +
          "fill => 'last')"
      ),
      sql("MUNTIN_RESAMPLE_REQUIRES_ONE_METHOD", text("'began', 5"), "methods" -> "none"),
      sql(
        "MUNTIN_UNKNOWN_COLUMN",
        text("'nothing', 5, fill => 'last'"),
        "parameter" -> "time",
        "column" -> "nothing",
        "columns" -> "who, began, ended"
      )
    )
  }

  private def tables: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_COLUMN_AS_TABLE_ARGUMENT",
      s"SELECT * FROM window_by(readings, TABLE(readings), 'count(*) AS n', 'at', 'at', 'at')",
      "function" -> "window_by",
      "parameter" -> "source",
      "argument" -> "readings",
      "expected" -> "TABLE(readings)"
    ),
    sql(
      "MUNTIN_PARTITIONED_TABLE_ARGUMENT",
      "SELECT * FROM resample(TABLE(calls) PARTITION BY (who), 'began', 5, fill => 'last')",
      "parameter" -> "rows",
      "example" -> "TABLE(…), by => 'k'"
    ),
    sql(
      "MUNTIN_UNPARSABLE_ARGUMENT",
      by(s"'sum(x', $times"),
      "parameter" -> "aggregates",
      "argument" -> "sum(x"
    )
  )

  private def refresh: Seq[ErrorCase] = {
    val sums = "SELECT who, sum(x) OVER (PARTITION BY who ORDER BY n) AS s, n FROM refreshed"
    def refreshing(condition: String, query: String, parameters: (String, String)*)(
        format: String = "parquet PARTITIONED BY (n)",
        more: String = "",
        changed: String = "TABLE(refreshed)"
    ): ErrorCase = ErrorCase(
      condition,
      parameters.toMap,
      { spark =>
        spark.sql("SELECT 'a' AS who, 1 AS n, 1.5D AS x").createOrReplaceTempView("refreshed")
        spark.sql("DROP TABLE IF EXISTS results")
        spark.sql(s"CREATE TABLE results (who STRING, s DOUBLE, n INT) USING $format")
        try spark.sql(s"SELECT * FROM refresh(TABLE($query), 'results', $changed$more)").collect()
        finally spark.sql("DROP TABLE IF EXISTS results"): Unit
      }
    )
    Seq(
      refreshing(
        "MUNTIN_REFRESH_CHANGES_COLUMN",
        sums,
        "column" -> "x",
        "type" -> "DOUBLE",
        "found" -> "no such column"
      )(more = ", 'refreshed'", changed = "TABLE(SELECT who, n FROM refreshed)"),
      refreshing(
        "MUNTIN_REFRESH_NOT_DETERMINISTIC",
        sums.replace("sum(x)", "sum(x + rand(1))"),
        "target" -> "results",
        "expression" -> "rand(1)"
      )(),
      refreshing(
        "MUNTIN_REFRESH_OF_WHOLE_TABLE",
        sums.replace("refreshed", "(SELECT * FROM refreshed AS one EXCEPT SELECT 'b', 2, 3.5D)"),
        "target" -> "results",
        "operator" -> "Except"
      )(more = ", 'one'"),
      refreshing(
        "MUNTIN_REFRESH_WITHOUT_KEYS",
        sums.replace("PARTITION BY who ", ""),
        "target" -> "results"
      )(),
      refreshing(
        "MUNTIN_REFRESH_WITHOUT_WINDOWS",
        "SELECT who, x AS s, n FROM refreshed",
        "target" -> "results"
      )(),
      refreshing(
        "MUNTIN_REFRESH_SOURCE",
        sums,
        "source" -> "the source `nothing`",
        "tables" -> "`refreshed`"
      )(more = ", 'nothing'"),
      refreshing(
        "MUNTIN_REFRESH_TARGET_COLUMNS",
        sums.replace("AS s", "AS t"),
        "target" -> "results",
        "column" -> "t",
        "type" -> "DOUBLE"
      )(),
      refreshing(
        "MUNTIN_REFRESH_TARGET_FORMAT",
        sums,
        "target" -> "results",
        "format" -> "parquet"
      )(format = "parquet"),
      ErrorCase(
        "MUNTIN_REFRESH_OF_STREAM",
        Map.empty,
        { spark =>
          spark.readStream.format("rate").load().createOrReplaceTempView("arriving")
          spark.sql("SELECT * FROM refresh(TABLE(arriving), 'results', TABLE(arriving))").collect()
        }
      ),
      ErrorCase(
        "MUNTIN_REFRESH_CONFLICT",
        Map("target" -> "results"),
        { spark =>
          spark.sql("SELECT 'a' AS who, 1 AS n, 1.5D AS x").createOrReplaceTempView("refreshed")
          spark.sql("DROP TABLE IF EXISTS results")
          spark.sql(
            "CREATE TABLE results (who STRING, s DOUBLE, n INT) USING parquet PARTITIONED BY (n)"
          )
          // Another refresh writes its list of folders.
          val other = Tables.location(spark, "results").resolve("_muntin_refresh")
          Files.createDirectories(other)
          Files.writeString(other.resolve("pending"), "other")
          try
            spark.sql(s"SELECT * FROM refresh(TABLE($sums), 'results', TABLE(refreshed))")
              .collect()
          finally spark.sql("DROP TABLE IF EXISTS results"): Unit
        }
      )
    ) ++ refreshFromPosition
  }

  /** A table of files that is refreshed, and again after it or the files have changed. */
  private def refreshFromPosition: Seq[ErrorCase] = {
    val rows = "SELECT 'a' AS who, 1 AS n, 1.5D AS x"
    val sums = "SELECT who, sum(x) OVER (PARTITION BY who ORDER BY n) AS s, n FROM sources"
    def again(condition: String, parameters: (String, String)*)(
        query: String = sums,
        first: SparkSession => Unit = _ => (),
        change: SparkSession => Unit = _ => (),
        refresh: String = "",
        format: String = "parquet"
    ): ErrorCase = ErrorCase(
      condition,
      Map(parameters: _*),
      { spark =>
        for (table <- Seq("sources", "others", "results"))
          spark.sql(s"DROP TABLE IF EXISTS $table")
        for (table <- Seq("sources", "others"))
          spark.sql(s"CREATE TABLE $table USING $format AS $rows")
        spark.sql(
          "CREATE TABLE results (who STRING, s DOUBLE, n INT) USING parquet PARTITIONED BY (n)"
        )
        first(spark)
        try {
          change(spark)
          spark.sql(s"SELECT * FROM refresh(TABLE($query), 'results'$refresh)").collect()
        } finally
          for (table <- Seq("sources", "others", "results"))
            spark.sql(s"DROP TABLE IF EXISTS $table"): Unit
      }
    )
    def run(query: String)(spark: SparkSession): Unit =
      spark.sql(s"SELECT * FROM refresh(TABLE($query), 'results')").collect(): Unit
    def insert(table: String)(spark: SparkSession): Unit =
      spark.sql(s"INSERT INTO $table $rows"): Unit
    val joined = s"$sums JOIN (SELECT who AS w FROM others) ON who = w"
    Seq(
      again("MUNTIN_REFRESH_WITHOUT_POSITION", "target" -> "results")(refresh =
        ", full => false"
      ),
      again("MUNTIN_REFRESH_WITHOUT_FEED", "target" -> "results", "table" -> "sources")(format =
        "csv"
      ),
      again("MUNTIN_REFRESH_OF_OWN_TARGET", "target" -> "results")(query =
        sums.replace("sum(x)", "sum(s)").replace("FROM sources", "FROM results")
      ),
      again("MUNTIN_REFRESH_OF_OTHER_QUERY", "target" -> "results")(
        first = run(sums),
        query = sums.replace("sum(x)", "max(x)")
      ),
      again("MUNTIN_REFRESH_TARGET_OVERWRITTEN", "target" -> "results")(
        first = run(sums),
        change = _.sql("INSERT INTO results VALUES ('b', 2.5D, 7)"): Unit
      ),
      again("MUNTIN_REFRESH_OF_SEVERAL_TABLES", "target" -> "results")(
        query = joined,
        first = run(joined),
        change = { spark =>
          insert("sources")(spark)
          insert("others")(spark)
        }
      ),
      again("MUNTIN_REFRESH_UNREADABLE_CHANGES", "target" -> "results")(
        first = run(sums),
        change = _.sql(s"INSERT OVERWRITE TABLE sources $rows"): Unit
      )
    )
  }

  private def frames: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_COMPLETE_REQUIRES_ROWS_FRAME",
      "SELECT framed(avg(x), complete => true, groups => '2 PRECEDING') OVER (ORDER BY at) " +
        "FROM readings",
      "frame" -> "GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW"
    ),
    sql(
      "MUNTIN_FRAME_REQUIRES_ORDER_BY",
      "SELECT max(x) OVER (GROUPS 1 PRECEDING) FROM readings",
      "clause" -> "GROUPS"
    ),
    sql(
      "MUNTIN_FRAME_SPECIFIED_TWICE",
      "SELECT framed(sum(x), exclude => 'ties') OVER (" +
        "ORDER BY at ROWS 1 PRECEDING EXCLUDE GROUP) FROM readings",
      "clause" -> "EXCLUDE",
      "argument" -> "'ties'",
      "value" -> "'group'"
    ),
    sql(
      "MUNTIN_INVALID_GROUPS_BOUND",
      "SELECT sum(x) OVER (ORDER BY at GROUPS 1.5 PRECEDING) FROM readings"
    ),
    ErrorCase(
      "MUNTIN_UNSUPPORTED_WINDOW",
      Map("function" -> "framed"),
      spark => {
        register(spark)
        val over = "OVER (PARTITION BY sensor ORDER BY at)"
        spark.sql(s"SELECT framed(plans_dice(sensor)) $over FROM readings").collect()
      }
    ),
    ErrorCase(
      "MUNTIN_SECOND_OVER",
      Map.empty,
      spark => {
        val w = Window.orderBy("at")
        spark.table("readings").select(sliding(avg("x"), 3).over(w).over(w))
      }
    )
  )

  private def ordered: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_DISTINCT_IN_OTHER_ORDER",
      "SELECT array_agg(DISTINCT sensor ORDER BY at) FROM readings",
      "function" -> "array_agg",
      "argument" -> "sensor"
    ),
    sql(
      "MUNTIN_MODE_IN_OTHER_ORDER",
      "SELECT mode(x ORDER BY at) FROM readings",
      "function" -> "mode",
      "argument" -> "x"
    ),
    sql(
      "MUNTIN_EXPRESSION_AS_COLUMN_NAME",
      "SELECT since(sum(x), `x > 2`) OVER (ORDER BY at) FROM readings",
      "function" -> "since",
      "name" -> "x > 2"
    )
  ) ++ Seq(
    sql(
      "MUNTIN_UNQUALIFIED_NAME_IN_FUNCTION_BODY",
      "CREATE FUNCTION plans_nth() RETURNS INT RETURN (SELECT nth(x, 3) FROM VALUES 5 AS t(x))",
      "function" -> "nth",
      "qualifiedName" -> "`muntin.nth`"
    )
  ).filter(_ => RunningSpark.keepsFunctions)

  private def groups: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_AGGREGATE_OF_WINDOW",
      "SELECT count(field_window.open) FROM calls GROUP BY ROLLUP (field_window(began, 30, 30))",
      "function" -> "field_window"
    ),
    sql(
      "MUNTIN_CORRELATED_WINDOW",
      "SELECT who, l.n FROM calls a, LATERAL (SELECT count(*) AS n FROM calls b " +
        "WHERE b.who = a.who GROUP BY sessions(b.began, 2, drain => false)) l",
      "function" -> "sessions"
    ),
    sql(
      "MUNTIN_SEVERAL_WINDOWS_IN_GROUP_BY",
      "SELECT 1 FROM calls GROUP BY field_window(began, 30, 30), field_window(began, 60, 60)"
    ),
    sql(
      "MUNTIN_MISPLACED_WINDOW",
      "SELECT field_window(began, 30, 30) FROM calls",
      "function" -> "field_window",
      "place" -> "Project"
    ),
    sql("MUNTIN_WINDOW_OF_ROWS", "SELECT field_window(began, 30, 30), * FROM calls"),
    ErrorCase(
      "MUNTIN_ROLLING_IN_GROUP_BY",
      Map("groups" -> "readings.sensor"),
      _.table("readings").groupBy("sensor").agg(rolling(avg("x"), 2, Nil, col("at")))
    )
  )

  private def python: Seq[ErrorCase] = Seq(
    "MUNTIN_UNSUPPORTED_PYTHON_WINDOW" ->
      "SELECT sliding(plans_mean(struct(x)), 3) OVER (ORDER BY at) FROM readings",
    "MUNTIN_PYTHON_AGGREGATE_OF_FRAMES" ->
      "SELECT plans_mean(struct(began)) FROM calls GROUP BY field_window(began, 30, 30)"
  ).map { case (condition, text) =>
    ErrorCase(
      condition,
      Map.empty,
      spark => {
        register(spark)
        spark.sql(text).collect()
      }
    )
  }

  /** Registers a nondeterministic aggregate, and a Python aggregate that only a plan can have. */
  private def register(spark: SparkSession): Unit = {
    spark.udf.register("plans_dice", functions.udaf(MergeOnlySuite.Listing).asNondeterministic())
    val function = new SimplePythonFunction(
      Array.emptyByteArray,
      new HashMap[String, String],
      new ArrayList[String],
      "python3",
      "3.11",
      new ArrayList[Broadcast[PythonBroadcast]],
      null
    )
    spark.asInstanceOf[classic.SparkSession].sessionState.functionRegistry
      .createOrReplaceTempFunction(
        "plans_mean",
        PythonUDAF("plans_mean", function, DoubleType, _, udfDeterministic = true),
        "python_udf"
      )
  }

  /** The case of a warning: raises an error of the same condition if the log has the warning. */
  private def warning(condition: String, source: Class[_], parameters: (String, String)*)(
      body: SparkSession => Any
  ): ErrorCase = ErrorCase(
    condition,
    parameters.toMap,
    spark => raise(condition, Warnings.of(source)(body(spark)), parameters)
  )

  private def raise(
      condition: String,
      texts: Seq[String],
      parameters: Seq[(String, String)]
  ): Nothing = {
    val expected = ErrorConditions(condition).message(parameters.toMap)
    if (texts.contains(expected)) throw new MuntinAnalysisException(condition, parameters: _*)
    else throw new AssertionError(s"expected $expected, got $texts")
  }

  private def warnings: Seq[ErrorCase] = Seq(
    warning(
      "MUNTIN_EMPTY_FRAME",
      WarnEmptyFrames.getClass,
      "frame" -> "ROWS BETWEEN 2 FOLLOWING AND CURRENT ROW",
      "distance" -> "2"
    )(_.sql("SELECT count(*) OVER (ORDER BY began ROWS 2 FOLLOWING) FROM calls")),
    warning(
      "MUNTIN_INTERVAL_FRAME_OVER_NUMBERS",
      WarnIntervalsOfNumbers.getClass,
      "interval" -> "INTERVAL '01' HOUR",
      "number" -> "1",
      "order" -> "id",
      "type" -> "BIGINT"
    )(_.sql("SELECT count(*) OVER (ORDER BY id RANGE INTERVAL '1' HOUR PRECEDING) FROM range(3)")),
    warning(
      "MUNTIN_UNKNOWN_SETTING",
      classOf[WarnSettings],
      "setting" -> "spark.muntin.over.enables",
      "suggestion" -> "spark.muntin.over.enabled"
    )(checkSetting("spark.muntin.over.enables")),
    warning(
      "MUNTIN_SETTING_OF_APPLICATION",
      classOf[WarnSettings],
      "setting" -> "spark.muntin.enabled=false",
      "alternative" -> "spark.muntin.over.enabled=false"
    )(checkSetting("spark.muntin.enabled"))
  )

  private def checkSetting(name: String)(spark: SparkSession): Unit = {
    val session = spark.asInstanceOf[classic.SparkSession].newSession()
    session.sessionState.conf.setConfString(name, "false")
    session.withActive(new WarnSettings().apply(OneRowRelation()))
  }

  private def sessions: Seq[ErrorCase] = Seq(
    ErrorCase(
      "MUNTIN_INVALID_SETTING",
      Map(
        "setting" -> "spark.muntin.stream.order",
        "value" -> "rows",
        "expected" -> "'watermark' or 'arrival' or 'group'"
      ),
      _.conf.set("spark.muntin.stream.order", "rows")
    )
  ) ++ Seq(
    ErrorCase("MUNTIN_REGISTRATION_ON_CONNECT_CLIENT", Map.empty, _ => Registration.register(null))
  )

  private def text(condition: String, text: => String, parameters: (String, String)*): ErrorCase =
    ErrorCase(condition, parameters.toMap, _ => raise(condition, Seq(text), parameters))

  private def jar: Seq[ErrorCase] = {
    val version = "version" -> ThisJar.VERSION
    val sparks = Seq(version, "spark" -> ThisJar.SPARK, "running" -> "5.3.0")
    val command = "java -cp the-jar-of-Muntin org.apache.spark.sql.muntin.SparkReferences " +
      "folder-of-Spark's-jars"
    Seq(
      text(
        "MUNTIN_TURNED_OFF",
        JarTexts.turnedOff("no"),
        "kind" -> "setting",
        "switch" -> "spark.muntin.enabled=no"
      ),
      text("MUNTIN_FAILED_TO_START", JarTexts.failedToStart, version),
      text(
        "MUNTIN_JAR_FOR_OTHER_SPARK",
        JarTexts.ofOther("5.3.0", None),
        sparks :+ ("jar" -> "muntin-spark-5.3"): _*
      ),
      text(
        "MUNTIN_JAR_BEFORE_RIGHT_JAR",
        JarTexts.ofOther("5.3.0", Some("/jars/right.jar")),
        sparks :+ ("path" -> "/jars/right.jar"): _*
      ),
      text(
        "MUNTIN_INCOMPATIBLE_SPARK",
        JarTexts.ofIncompatible("5.3.0", "a.B"),
        sparks ++ Seq("missing" -> "a.B", "command" -> command): _*
      ),
      text(
        "MUNTIN_UNSUPPORTED_JAVA",
        JarTexts.ofOlderJava("1.8"),
        version,
        "required" -> JarTexts.requiredJava,
        "spark" -> ThisJar.SPARK,
        "java" -> "1.8"
      )
    )
  }

  private def byOnStream(source: String, anchors: String, more: String = "", time: String = "at") =
    s"SELECT * FROM window_by(TABLE($source), TABLE(SELECT at AS until FROM $anchors), " +
      s"'count(*) AS n', '$time', 'until', 'until'$more)"

  /** A query over the streams plans_marked, with a watermark, and plans_unmarked. */
  private def onStream(condition: String, text: String, parameters: (String, String)*)(
      settings: (String, String)*
  ): ErrorCase = ErrorCase(
    condition,
    parameters.toMap,
    spark => {
      register(spark)
      streamsOf(spark)
      settings.foreach { case (key, value) => spark.conf.set(key, value) }
      try spark.sql(text)
      finally settings.foreach { case (key, _) => spark.conf.unset(key) }
    }
  )

  private def streamsOf(spark: SparkSession): Unit = {
    val rows = spark.readStream.format("rate").load()
      .selectExpr("'a' AS sensor", "timestamp AS at", "CAST(value AS DOUBLE) AS x")
    rows.createOrReplaceTempView("plans_unmarked")
    rows.union(rows).createOrReplaceTempView("plans_other")
    rows.withWatermark("at", "1 minute").createOrReplaceTempView("plans_marked")
  }

  private def streams: Seq[ErrorCase] = {
    val obsolete = ", obsolete => 'until'"
    val both = byOnStream("plans_marked", "plans_marked")
    val multiple = "spark.sql.streaming.statefulOperator.allowMultiple"
    Seq(
      onStream("MUNTIN_WINDOW_BY_IN_ORDER_OF_ARRIVAL", both)(
        "spark.muntin.stream.order" -> "arrival"
      ),
      onStream(
        "MUNTIN_WINDOW_BY_OF_SEVERAL_STREAMS",
        byOnStream("plans_marked", "plans_other"),
        "function" -> "window_by"
      )("spark.muntin.stream.order" -> "group"),
      onStream(
        "MUNTIN_STATIC_ANCHORS_REQUIRE_SETTING",
        byOnStream("plans_marked", "readings"),
        "setting" -> multiple
      )(multiple -> "false"),
      onStream("MUNTIN_OBSOLETE_OVER_TABLE", byOnStream("readings", "plans_marked", obsolete))(),
      onStream(
        "MUNTIN_ORDER_ON_STREAM",
        byOnStream("plans_marked", "plans_marked", s"$obsolete, order => 'until'"),
        "stream" -> "anchors"
      )(),
      onStream(
        "MUNTIN_TABLE_WITHOUT_WATERMARK",
        byOnStream("plans_unmarked", "plans_marked"),
        "table" -> "source",
        "column" -> "at"
      )(),
      onStream(
        "MUNTIN_COMPUTED_TIME_ON_STREAM",
        byOnStream("plans_marked", "plans_marked", time = "at + INTERVAL 1 SECOND"),
        "function" -> "window_by"
      )(),
      onStream("MUNTIN_MISSING_OBSOLETE", both)("spark.muntin.stream.unbounded" -> "error"),
      onStream(
        "MUNTIN_ORDERED_WITH_TABLE",
        byOnStream("plans_marked", "readings", ", ordered => true"),
        "table" -> "anchors",
        "stream" -> "source"
      )(),
      warning("MUNTIN_UNBOUNDED_WINDOW_BY", classOf[WindowBy], "function" -> "window_by") { spark =>
        streamsOf(spark)
        spark.sql(both)
      },
      onStream(
        "MUNTIN_MISSING_TOLERANCE",
        "SELECT * FROM plans_marked l JOIN readings r ON asof(l.at, r.at)",
        "function" -> "asof"
      )(),
      onStream(
        "MUNTIN_STREAM_KEY_WITHOUT_BINARY_EQUALITY",
        "SELECT count(*) FROM plans_marked " +
          "GROUP BY sensor COLLATE UTF8_LCASE, field_window(at, 30)",
        "function" -> "field_window"
      )(),
      onStream(
        "MUNTIN_UNSUPPORTED_FUNCTION_ON_STREAM",
        "SELECT plans_dice(sensor) OVER (ORDER BY at) FROM plans_marked"
      )()
    )
  }
}

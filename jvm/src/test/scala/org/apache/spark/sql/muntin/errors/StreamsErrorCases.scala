package org.apache.spark.sql.muntin.errors

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import java.sql.Timestamp
import java.time.Instant

import scala.jdk.StreamConverters._

import io.muntin.Muntin
import io.muntin.functions.windowBy
import org.apache.spark.sql.{classic, DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.execution.streaming.OneTimeTrigger
import org.apache.spark.sql.functions.{col, count}
import org.apache.spark.sql.muntin.{RunningSpark, Warnings}
import org.apache.spark.sql.muntin.spark.{MuntinAnalysisException, RealTimeMode}
import org.apache.spark.sql.muntin.streaming.{
  ChangeInPlace,
  RowStream,
  StreamGroup,
  StreamProvider,
  WithdrawnResult
}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.StructType

/** Errors and warnings of windows over streams. */
object StreamsErrorCases {
  def all: Seq[ErrorCase] = times ++ frames ++ upstream ++ bounds ++ revisions ++ starts ++
    groupOrder ++ checkpoints ++ pending ++ restore ++ state ++ repartition ++ change ++ bootstrap ++ rows ++ warnings ++ ofOtherSparks(
      "MUNTIN_STREAMS_REQUIRE_SPARK_4"
    )

  private val arrival = "spark.muntin.stream.order" -> "arrival"
  private val byGroup = "spark.muntin.stream.order" -> "group"
  private val drain = "spark.muntin.stream.drain" -> "true"
  private val provider = "spark.sql.streaming.stateStore.providerClass"
  private val rocksDb =
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  // A stream of rows `k`, `at`, `n`, with a watermark and without.

  private def unmarked(spark: SparkSession): DataFrame = spark.readStream.format("rate").load()
    .selectExpr("CAST(value AS STRING) AS k", "timestamp AS at", "CAST(value AS INT) AS n")

  private def views(spark: SparkSession): Unit = {
    val stream = unmarked(spark)
    stream.createOrReplaceTempView("streams_unmarked")
    stream.withWatermark("at", "1 minute").createOrReplaceTempView("streams_marked")
  }

  private def withConf[T](spark: SparkSession, settings: Seq[(String, String)])(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getOption(key) }
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally
      before.foreach { case (key, value) =>
        value.fold(spark.conf.unset(key))(spark.conf.set(key, _))
      }
  }

  private def code(condition: String, parameters: (String, String)*)(settings: (String, String)*)(
      run: SparkSession => Any
  ): ErrorCase = ErrorCase(
    condition,
    parameters.toMap,
    spark =>
      withConf(spark, settings) {
        views(spark)
        run(spark)
      }
  )

  /** A query that fails when it is analyzed. */
  private def sql(condition: String, text: String, parameters: (String, String)*): ErrorCase =
    code(condition, parameters: _*)()(_.sql(text))

  private def ofArrival(
      condition: String,
      text: String,
      parameters: (String, String)*
  ): ErrorCase =
    code(condition, parameters: _*)(arrival)(_.sql(text))

  /** A query over the marked stream that fails when it starts. */
  private def started(condition: String, text: String, parameters: (String, String)*)(
      mode: String = "append",
      trigger: Trigger = Trigger.ProcessingTime(0L),
      settings: Seq[(String, String)] = Nil,
      sink: String = "noop"
  ): ErrorCase = code(condition, parameters: _*)(settings: _*) { spark =>
    spark.sql(text).writeStream.format(sink).outputMode(mode).trigger(trigger).start().stop()
  }

  private val sum = "SELECT sum(n) OVER"
  private val marked = "FROM streams_marked"
  private val half = "field_window(at, 30, 30)"
  private val halves = s"(SELECT k, $half AS w, count(*) AS c $marked GROUP BY k, $half)"
  private val pieces =
    s"(SELECT w.start AS s, w.end AS e, c FROM (SELECT validity(at, at) AS w, count(*) AS c $marked " +
      "GROUP BY k, validity(at, at)))"
  private val waiting = s"(SELECT at, n, lead(n) OVER (ORDER BY at) AS next $marked)"

  private def times: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_MISSING_WATERMARK",
      s"$sum (ORDER BY at) FROM streams_unmarked",
      "function" -> "OVER",
      "time" -> "at"
    ),
    sql(
      "MUNTIN_NOT_A_TIME_OF_WINDOWS",
      s"SELECT sum(c) OVER (ORDER BY w.open) FROM $halves",
      "function" -> "OVER",
      "time" -> "w.open",
      "times" -> "w.close"
    ),
    sql(
      "MUNTIN_WINDOWS_WITHOUT_END",
      "SELECT sum(c) OVER (ORDER BY w.open) FROM (SELECT field_window(at, every => 30) AS w, " +
        s"count(*) AS c $marked GROUP BY field_window(at, every => 30))",
      "function" -> "OVER",
      "time" -> "w.open"
    ),
    sql(
      "MUNTIN_COMPUTED_TIME_ON_STREAM",
      s"SELECT count(*) $marked GROUP BY field_window(at + INTERVAL 1 HOUR, 30)",
      "function" -> "field_window"
    ),
    sql(
      "MUNTIN_NUMERIC_TIME_ON_STREAM",
      s"$sum (ORDER BY n) $marked",
      "function" -> "OVER",
      "time" -> "n",
      "type" -> "INT"
    ),
    code(
      "MUNTIN_TTL_SETTING_OF_OTHER_TIME",
      "setting" -> "spark.muntin.stream.ttl",
      "time" -> "n",
      "type" -> "INT"
    )(arrival, "spark.muntin.stream.ttl" -> "30s")(_.sql(s"$sum (ORDER BY n) $marked")),
    code(
      "MUNTIN_TTL_SETTING_OF_RESAMPLE",
      "function" -> "resample",
      "setting" -> "spark.muntin.stream.ttl"
    )("spark.muntin.stream.ttl" -> "30s")(
      _.sql("SELECT * FROM resample(TABLE(streams_marked), 'at', 30, by => 'k', fill => 'last')")
    ),
    sql(
      "MUNTIN_FLOATING_TIME_ON_STREAM",
      "SELECT sum(n) OVER (ORDER BY x) FROM (SELECT n, DOUBLE(n) AS x FROM streams_marked)",
      "time" -> "x",
      "type" -> "DOUBLE"
    ),
    sql(
      "MUNTIN_INVALID_TIME_ON_STREAM",
      s"$sum (ORDER BY k) $marked",
      "time" -> "k",
      "type" -> "STRING"
    ),
    sql("MUNTIN_DESCENDING_TIME_ON_STREAM", s"$sum (ORDER BY at DESC) $marked"),
    sql("MUNTIN_MISSING_ORDER_BY_ON_STREAM", s"$sum (PARTITION BY k) $marked")
  )

  private def frames: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_COMPUTED_FRAME_ON_STREAM",
      s"$sum (ORDER BY at ROWS BETWEEN n PRECEDING AND CURRENT ROW) $marked"
    ),
    sql(
      "MUNTIN_UNBOUNDED_FRAME_ON_STREAM",
      s"$sum (ORDER BY at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) $marked",
      "frame" -> "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    ),
    sql(
      "MUNTIN_UNBOUNDED_STATE_ON_STREAM",
      s"SELECT collect_list(n) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) $marked",
      "frame" -> "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    ),
    sql(
      "MUNTIN_UNBOUNDED_WINDOWS_ON_STREAM",
      s"SELECT collect_list(n) $marked GROUP BY field_window(at, every => 30)",
      "aggregate" -> "collect_list(n)"
    )
  )

  private def upstream: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_UPSTREAM_NOT_IN_ORDER",
      s"SELECT count(*) OVER (ORDER BY s) FROM (SELECT s FROM $pieces UNION ALL SELECT at $marked)",
      "function" -> "OVER"
    ),
    ofArrival(
      "MUNTIN_UNION_NOT_IN_ORDER",
      s"SELECT sum(c) OVER (ORDER BY s) FROM (SELECT s, c FROM $pieces UNION ALL SELECT at, 1L $marked)",
      "function" -> "OVER"
    ),
    sql(
      "MUNTIN_ROWS_LAG_WATERMARK",
      s"SELECT window, count(*) FROM $waiting GROUP BY window(at, '9 seconds')",
      "operator" -> "Aggregate"
    ),
    code("MUNTIN_WATERMARK_OVER_GROUP_WINDOWS", "eventTime" -> "t", "times" -> "w.close")() {
      spark =>
        val windows = spark.sql(s"SELECT w.open AS t, c FROM $halves")
        windows.withWatermark("t", "1 minute").writeStream.format("noop").start().stop()
    },
    code("MUNTIN_WATERMARK_OVER_WINDOWS", "eventTime" -> "t")() { spark =>
      val windows = spark.sql(s"SELECT at AS t, sum(n) OVER (ORDER BY at) AS s $marked")
      windows.withWatermark("t", "1 minute").writeStream.format("noop").start().stop()
    }
  )

  private def bounds: Seq[ErrorCase] = Seq(
    sql(
      "MUNTIN_SUBQUERY_IN_BOUND",
      s"SELECT * $marked WHERE NOT bound(n IN (SELECT id FROM range(3)))"
    ),
    code("MUNTIN_WATERMARK_AFTER_BOUND", "eventTime" -> "at", "operator" -> "Deduplicate")() {
      _.sql("SELECT * FROM streams_unmarked WHERE NOT bound(k IS NULL)").dropDuplicates("k")
        .withWatermark("at", "1 minute")
    },
    running("MUNTIN_TIME_COMPUTED_AFTER_BOUND", "operator" -> "Generate")(arrival) { (_, source) =>
      val bounded = "(SELECT * FROM streams_rows WHERE NOT bound(k IS NULL))"
      val sql = "SELECT count(*) OVER (ORDER BY t RANGE 4 PRECEDING) AS c FROM " +
        s"(SELECT explode(sequence(n, n)) AS t FROM $bounded)"
      source.run(source.query(sql, isMarked = false), row(1))
    }
  )

  private def groupOrder: Seq[ErrorCase] = Seq(
    started(
      "MUNTIN_WINDOWS_OF_ALL_GROUPS",
      s"SELECT k, ticks(at, 'daily') AS w, count(*) AS c $marked GROUP BY k, ticks(at, 'daily')",
      "function" -> "ticks"
    )(settings = Seq(byGroup)),
    started("MUNTIN_CLOSE_AFTER_IN_GROUP_ORDER", s"SELECT * FROM $halves")(
      settings = Seq(byGroup, "spark.muntin.stream.closeAfter" -> "60s")
    ),
    started(
      "MUNTIN_BOUND_IN_GROUP_ORDER",
      s"$sum (PARTITION BY k ORDER BY at) AS s $marked WHERE NOT bound(k IS NULL)",
      "function" -> "OVER"
    )(settings = Seq(byGroup)),
    started(
      "MUNTIN_UPSTREAM_WAITS_IN_GROUP_ORDER",
      s"SELECT sum(c) OVER (PARTITION BY k ORDER BY e) AS s FROM (SELECT k, w.close AS e, c FROM $halves)",
      "function" -> "OVER",
      "upstream" -> "field_window"
    )(settings = Seq(byGroup))
  )

  private def revisions: Seq[ErrorCase] = Seq(
    sql("MUNTIN_MISPLACED_REVISION", s"SELECT k, revision() $marked", "operator" -> "Project"),
    started(
      "MUNTIN_UPDATE_MODE_WITHOUT_REVISION",
      s"SELECT field_window(at, 45) AS w, count(*) $marked GROUP BY w"
    )(mode = "update"),
    started("MUNTIN_UPDATE_MODE_WITH_FILTER", s"SELECT * FROM $halves WHERE c > 3")(mode =
      "update"
    ),
    started("MUNTIN_UPDATE_MODE_WITH_JOIN", s"SELECT k FROM $halves JOIN range(3) ON c = id")(mode =
      "update"
    ),
    started("MUNTIN_UPDATE_MODE_WITH_GENERATOR", s"SELECT explode(sequence(1, c)) FROM $halves")(
      mode = "update"
    ),
    ErrorCase(
      "MUNTIN_RESULT_WITHDRAWN",
      Map("function" -> "field_window", "row" -> "n = 7"),
      _ => WithdrawnResult.emit()
    ),
    code("MUNTIN_UPDATE_MODE_WITH_TABLE_OF_ANCHORS")() { spark =>
      val anchors = spark.sql("SELECT TIMESTAMP'2024-01-01' AS lo")
      val source = spark.table("streams_marked")
      windowBy(source, anchors, col("at"), col("lo"), col("lo"), obsolete = col("lo"))
        .agg(count("*").as("c"))
        .writeStream.format("noop").outputMode("update").start().stop()
    }
  )

  private def starts: Seq[ErrorCase] = {
    val over = s"$sum (ORDER BY at) $marked"
    val needsEnd = Seq("drain" -> s"${drain._1}=true")
    val ofKnownTriggers =
      if (!RunningSpark.knowsTriggers) {
        ofOtherSparks("MUNTIN_DRAIN_OF_ENDLESS_STREAM", "MUNTIN_DRAIN_WITHOUT_EMPTY_MICRO_BATCH")
      } else
        Seq(
          started("MUNTIN_DRAIN_OF_ENDLESS_STREAM", over, needsEnd: _*)(settings = Seq(drain)),
          started("MUNTIN_DRAIN_WITHOUT_EMPTY_MICRO_BATCH", over, needsEnd: _*)(
            trigger = Trigger.AvailableNow(),
            settings =
              Seq(drain, "spark.sql.streaming.noDataMicroBatches.enabled" -> "false")
          )
        )
    Seq(
      started("MUNTIN_COMPLETE_MODE_OF_WINDOWS", over)(mode = "complete"),
      started("MUNTIN_UNSUPPORTED_TRIGGER", over)(trigger = Trigger.Continuous("1 second"))
    ) ++ ofKnownTriggers ++ inRealTime
  }

  private def inRealTime: Seq[ErrorCase] = {
    val own = Seq(
      "MUNTIN_REAL_TIME_MODE_REQUIRES_GROUP_ORDER",
      "MUNTIN_REAL_TIME_MODE_REQUIRES_SETTING",
      "MUNTIN_LOOK_AHEAD_IN_REAL_TIME_MODE",
      "MUNTIN_REVISION_IN_REAL_TIME_MODE",
      "MUNTIN_SEVERAL_WINDOWS_IN_REAL_TIME_MODE",
      "MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE"
    )
    def realTimeCase(condition: String, sql: String, settings: (String, String)*): Seq[ErrorCase] =
      realTime.toSeq.map { trigger =>
        started(condition, sql)(
          mode = "update",
          trigger = trigger,
          settings = (provider -> rocksDb) +: settings,
          sink = "console"
        )
      }
    val over = s"$sum (PARTITION BY k ORDER BY at) AS s $marked"
    if (!RealTimeMode.hasState) {
      ofOtherSparks(own: _*) ++ realTimeCase("MUNTIN_WINDOWS_IN_REAL_TIME_MODE", over)
    } else {
      val allowed = RealTimeMode.listSetting -> "false"
      val ahead = s"SELECT lead(n) OVER (PARTITION BY k ORDER BY at) AS s $marked"
      val revised = s"SELECT s, revision() AS r FROM ($over)"
      val twice = s"SELECT sum(n) OVER (PARTITION BY n ORDER BY at) AS u, " +
        s"sum(n) OVER (PARTITION BY k ORDER BY at) AS s $marked"
      ofOtherSparks("MUNTIN_WINDOWS_IN_REAL_TIME_MODE") ++
        realTimeCase("MUNTIN_REAL_TIME_MODE_REQUIRES_GROUP_ORDER", over) ++
        realTimeCase("MUNTIN_REAL_TIME_MODE_REQUIRES_SETTING", over, byGroup) ++
        realTimeCase("MUNTIN_LOOK_AHEAD_IN_REAL_TIME_MODE", ahead, byGroup, allowed) ++
        realTimeCase("MUNTIN_REVISION_IN_REAL_TIME_MODE", revised, byGroup, allowed) ++
        realTimeCase("MUNTIN_SEVERAL_WINDOWS_IN_REAL_TIME_MODE", twice, byGroup, allowed) ++
        realTimeCase(
          "MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE",
          s"SELECT DISTINCT s FROM ($over)",
          byGroup,
          allowed
        )
    }
  }

  /** The trigger of Spark 4.1 and later. */
  private def realTime: Option[Trigger] = classOf[Trigger].getMethods.collectFirst {
    case method
        if method.getName == "RealTime" && method.getParameterTypes.sameElements(
          Seq(classOf[String])
        ) =>
      method.invoke(null, "5 seconds").asInstanceOf[Trigger]
  }

  // Rows that a case adds, and a query that runs until it has read all of them.

  private val Schema = StructType.fromDDL("k STRING, at TIMESTAMP, n INT")

  private def row(second: Int, key: String = "a"): Row =
    Row(key, Timestamp.from(Instant.parse("2024-01-01T00:00:00Z").plusSeconds(second)), second)

  private final class Source(spark: SparkSession) {
    private val stream = RowStream(
      ExpressionEncoder(Schema, lenient = true),
      spark.asInstanceOf[classic.SparkSession]
    )
    val checkpoint: Path = Files.createTempDirectory("muntin-errors")

    def query(sql: String, isMarked: Boolean = true): DataFrame = {
      val made = stream.toDF()
      val rows = made.select(Schema.map(f => made(f.name).cast(f.dataType).as(f.name)): _*)
      (if (isMarked) rows.withWatermark("at", "1 second") else rows)
        .createOrReplaceTempView("streams_rows")
      spark.sql(sql)
    }

    /** Runs the query over these rows, after the rows of earlier runs. */
    def run(query: DataFrame, rows: Row*): Unit = runWith(query)(rows: _*)

    def runWith(
        query: DataFrame,
        mode: String = "append",
        trigger: Trigger = Trigger.AvailableNow()
    )(rows: Row*): Unit = {
      if (rows.nonEmpty) stream.addData(rows): Unit
      query.writeStream.format("noop").outputMode(mode).trigger(trigger)
        .option("checkpointLocation", checkpoint.toString).start().awaitTermination()
    }

    /** Runs the query, with a micro-batch for each row. */
    def runEach(query: DataFrame, rows: Row*): Unit = {
      val running = query.writeStream.format("noop")
        .option("checkpointLocation", checkpoint.toString).start()
      try
        rows.foreach { row =>
          stream.addData(row)
          running.processAllAvailable()
        }
      finally running.stop()
    }
  }

  private def running(condition: String, parameters: (String, String)*)(
      settings: (String, String)*
  )(run: (SparkSession, Source) => Any): ErrorCase =
    code(condition, parameters: _*)((provider -> rocksDb) +: settings: _*) { spark =>
      run(spark, new Source(spark))
    }

  private val sums = "SELECT k, sum(n) OVER (PARTITION BY k ORDER BY at) AS s FROM streams_rows"

  private def checkpoints: Seq[ErrorCase] = {
    val ofState =
      if (!RunningSpark.knowsTriggers) ofOtherSparks("MUNTIN_STATE_SOURCE_OF_WINDOWS")
      else
        Seq(running("MUNTIN_STATE_SOURCE_OF_WINDOWS")() { (spark, source) =>
          source.run(source.query(sums), row(1))
          spark.read.format("statestore").load(source.checkpoint.toString).collect()
        })
    Seq(
      running(
        "MUNTIN_CHECKPOINT_OF_OTHER_QUERY",
        "property" -> "windows",
        "stored" -> "OVER by k STRING",
        "current" -> "none"
      )() { (_, source) =>
        source.run(source.query(sums), row(1))
        source.run(source.query("SELECT k FROM streams_rows"), row(2))
      },
      running(
        "MUNTIN_UNSUPPORTED_STATE_STORE",
        "function" -> "OVER",
        "setting" -> provider,
        "required" -> rocksDb
      )(
        provider -> "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
      )((_, source) => source.run(source.query(sums), row(1))),
      ErrorCase(
        "MUNTIN_STATE_OF_OTHER_LAYOUT",
        Map("stored" -> "0"),
        _ => {
          val head = ByteBuffer.allocate(4).putInt(0).array
          val id = Array.emptyByteArray
          new StreamGroup(
            null,
            null,
            null
          ).read(null, id, head, isClosing = false, emittedColumns = None)
        }
      )
    ) ++ ofState
  }

  private def pending: Seq[ErrorCase] = Seq(
    running("MUNTIN_PENDING_OF_BATCH")() { (spark, source) =>
      Muntin.pending(spark.table("readings"), source.checkpoint.toString)
    },
    running("MUNTIN_PENDING_WITHOUT_WINDOWS")() { (_, source) =>
      Muntin.pending(source.query("SELECT k FROM streams_rows"), source.checkpoint.toString)
    },
    running("MUNTIN_NOT_A_CHECKPOINT")() { (_, source) =>
      Muntin.pending(source.query(sums), source.checkpoint.toString)
    },
    running("MUNTIN_CHECKPOINT_NOT_FOUND")() { (_, source) =>
      Muntin.pending(source.query(sums), source.checkpoint.resolve("none").toString)
    },
    running(
      "MUNTIN_PENDING_OF_OTHER_QUERY",
      "property" -> "stateful operators",
      "stored" -> "[]",
      "current" -> "[muntin]"
    )() { (_, source) =>
      source.run(source.query("SELECT k FROM streams_rows"), row(1))
      Muntin.pending(source.query(sums), source.checkpoint.toString).collect()
    },
    running("MUNTIN_BATCH_NOT_KEPT", "batch" -> "7", "kept" -> "0 to 1")() { (_, source) =>
      val query = source.query(sums)
      source.run(query, row(1))
      Muntin.pending(query, source.checkpoint.toString, 7L).collect()
    },
    running("MUNTIN_PENDING_WITH_STATEFUL_OPERATOR", "operator" -> "StreamingDeduplicate")() {
      (_, source) =>
        val query = source.query(sums).dropDuplicates("s")
        source.run(query, row(1))
        Muntin.pending(query, source.checkpoint.toString).collect()
    }
  )

  private def repartition: Seq[ErrorCase] = {
    def moved(spark: SparkSession, source: Source, to: Path): Any =
      Muntin.repartition(spark, source.checkpoint.toString, 3, to.toString)
    def free: Path = Files.createTempDirectory("muntin-errors")
    Seq(
      running("MUNTIN_CHECKPOINT_WITHOUT_BATCH")() { (spark, source) =>
        val query = source.query(sums)
        // It has no rows.
        source.run(query)
        moved(spark, source, free)
      },
      running("MUNTIN_CHECKPOINT_TARGET_NOT_EMPTY", "command" -> "repartition")() {
        (spark, source) =>
          source.run(source.query(sums), row(1))
          moved(spark, source, source.checkpoint)
      },
      running("MUNTIN_CHECKPOINT_IN_USE", "command" -> "repartition")() { (spark, source) =>
        val query = source.query(sums)
        source.run(query, row(1))
        val running = query.writeStream.format("noop")
          .option("checkpointLocation", source.checkpoint.toString).start()
        try moved(spark, source, free)
        finally running.stop()
      },
      running("MUNTIN_CHECKPOINT_WITHOUT_WINDOWS", "command" -> "repartition")() {
        (spark, source) =>
          source.run(source.query("SELECT k FROM streams_rows"), row(1))
          moved(spark, source, free)
      },
      running("MUNTIN_CHECKPOINT_WITH_STATEFUL_OPERATOR", "operator" -> "globalLimit")() {
        (spark, source) =>
          source.run(source.query(sums).limit(5), row(1))
          moved(spark, source, free)
      }
    )
  }

  /** Returns the files of the state's first partition, of later versions first. */
  private def stateOf(source: Source): Seq[Path] =
    Files.list(source.checkpoint.resolve("state/0/0")).toScala(Seq)
      .filter(_.getFileName.toString.matches("\\d+\\.(changelog|zip)"))
      .sortBy(-_.getFileName.toString.takeWhile(_.isDigit).toLong)

  private def restore: Seq[ErrorCase] = {
    def free: String = Files.createTempDirectory("muntin-errors").toString
    Seq(
      running("MUNTIN_STATE_UNREADABLE", "operator" -> "0", "partition" -> "0")() { (_, source) =>
        val query = source.query(sums)
        source.run(query, row(1))
        Files.delete(stateOf(source).head)
        source.run(query, row(2))
      },
      running("MUNTIN_STATE_OF_OTHER_PARTITION", "operator" -> "0")(
        "spark.sql.shuffle.partitions" -> "3"
      ) { (_, source) =>
        val query = source.query(sums)
        source.run(query, row(1))
        val folders = (0 to 3).map(p => source.checkpoint.resolve(s"state/0/$p"))
        // Each folder gets the number before it, and the first one the last number.
        Files.move(folders.head, folders.last)
        folders.zip(folders.tail).foreach { case (before, folder) => Files.move(folder, before) }
        source.run(query, row(2))
      },
      running("MUNTIN_BATCH_NOT_WHOLE", "batch" -> "1")() { (spark, source) =>
        source.run(source.query(sums), row(1))
        Files.delete(stateOf(source).head)
        Muntin.restore(spark, source.checkpoint.toString, free, 1L)
      },
      running("MUNTIN_NO_WHOLE_BATCH", "batch" -> "0")() { (spark, source) =>
        source.run(source.query(sums), row(1))
        stateOf(source).foreach(Files.delete)
        Muntin.restore(spark, source.checkpoint.toString, free)
      },
      running("MUNTIN_CHECKPOINT_TARGET_NOT_EMPTY", "command" -> "restore")() { (spark, source) =>
        source.run(source.query(sums), row(1))
        Muntin.restore(spark, source.checkpoint.toString, source.checkpoint.toString)
      }
    )
  }

  private def state: Seq[ErrorCase] = Seq(
    running("MUNTIN_CHECKPOINT_WITHOUT_WINDOWS", "command" -> "state")() { (spark, source) =>
      source.run(source.query("SELECT k FROM streams_rows"), row(1))
      Muntin.state(spark, source.checkpoint.toString).collect()
    }
  )

  private def change: Seq[ErrorCase] = {
    def free: String = Files.createTempDirectory("muntin-errors").toString
    def maxima =
      "SELECT k, max(n) OVER (PARTITION BY k ORDER BY at ROWS 5 PRECEDING) FROM streams_rows"
    def started(source: Source, sql: String = sums): String = {
      source.run(source.query(sql), row(1))
      source.checkpoint.toString
    }
    Seq(
      running("MUNTIN_CHANGE_WITHOUT_WINDOWS")() { (_, source) =>
        val checkpoint = started(source)
        Muntin.compare(source.query("SELECT k FROM streams_rows"), checkpoint)
      },
      running("MUNTIN_CHECKPOINT_TARGET_NOT_EMPTY", "command" -> "change")() { (_, source) =>
        val checkpoint = started(source)
        Muntin.change(source.query(sums), checkpoint, checkpoint)
      },
      running("MUNTIN_CHECKPOINT_IN_USE", "command" -> "change")() { (_, source) =>
        val query = source.query(sums)
        val checkpoint = started(source)
        val running =
          query.writeStream.format("noop").option("checkpointLocation", checkpoint).start()
        try Muntin.change(query, checkpoint, free)
        finally running.stop()
      },
      running("MUNTIN_CHANGE_OF_SOURCES", "stored" -> "1", "current" -> "2")() { (spark, source) =>
        val checkpoint = started(source)
        source.query(sums): Unit
        spark.readStream.format("rate").load()
          .selectExpr("string(value) AS k", "timestamp AS at").withWatermark("at", "1 second")
          .createOrReplaceTempView("streams_other")
        val both = spark.sql("SELECT count(*) OVER (PARTITION BY k ORDER BY at) AS c FROM (" +
          "SELECT k, at FROM streams_rows UNION ALL SELECT k, at FROM streams_other)")
        Muntin.compare(both, checkpoint)
      },
      running(
        "MUNTIN_CHANGE_OF_STATEFUL_OPERATORS",
        "stored" -> "[]",
        "current" -> "[0 dedupe]"
      )() { (_, source) =>
        val checkpoint = started(source)
        Muntin.compare(source.query(sums).dropDuplicates("s"), checkpoint)
      },
      running("MUNTIN_UNKNOWN_RENAMED_COLUMN", "former" -> "k", "name" -> "device")() {
        (_, source) =>
          val checkpoint = started(source)
          Muntin.compare(source.query(sums), checkpoint, renamed = Map("k" -> "device"))
      },
      running("MUNTIN_INVALID_ARGUMENT_VALUE", "parameter" -> "renamed")() { (_, source) =>
        val checkpoint = started(source)
        Muntin.compare(source.query(sums), checkpoint, renamed = Map("a" -> "k", "b" -> "k"))
      },
      running("MUNTIN_UNFINISHED_CHANGE")() { (_, source) =>
        val checkpoint = started(source)
        Files.move(source.checkpoint, java.nio.file.Path.of(s"$checkpoint.before-batch-1"))
        source.run(source.query(sums), row(1))
      },
      running("MUNTIN_INCOMPLETE_CHANGE", "windows" -> "1")() { (_, source) =>
        val checkpoint = started(source, maxima)
        Muntin.change(source.query(maxima.replace("ROWS 5", "ROWS 50")), checkpoint, free)
      },
      running("MUNTIN_CHANGE_NEEDS_HISTORY", "windows" -> "1")() { (_, source) =>
        val checkpoint = started(source, maxima)
        val ranked =
          maxima.replace("SELECT k,", "SELECT k, rank() OVER (PARTITION BY k ORDER BY at),")
        Muntin.change(source.query(ranked), checkpoint, free, incomplete = true)
      }
    )
  }

  private def bootstrap: Seq[ErrorCase] = {
    def past(spark: SparkSession): DataFrame =
      spark.createDataFrame(java.util.Arrays.asList(row(1)), Schema)
    def free: String = Files.createTempDirectory("muntin-errors").toString
    Seq(
      running("MUNTIN_BOOTSTRAP_WITHOUT_WINDOWS", "function" -> "bootstrap")() { (spark, source) =>
        Muntin.bootstrap(source.query("SELECT k FROM streams_rows"), past(spark), free)
      },
      running("MUNTIN_BOOTSTRAP_WATERMARK_ABOVE_WINDOWS", "time" -> "at")(arrival) {
        (spark, source) =>
          val windows = "SELECT at, sum(n) OVER (PARTITION BY k ORDER BY at) AS s FROM streams_rows"
          val query = source.query(windows, isMarked = false).withWatermark("at", "1 second")
          Muntin.bootstrap(query, past(spark), free)
      },
      running("MUNTIN_BOOTSTRAP_FROM_STREAM")() { (_, source) =>
        val query = source.query(sums)
        Muntin.bootstrap(query, query, free)
      },
      running("MUNTIN_BOOTSTRAP_COLUMN", "column" -> "n", "type" -> "INT", "found" -> "STRING")() {
        (spark, source) =>
          Muntin.bootstrap(source.query(sums), past(spark).selectExpr("k", "at", "k AS n"), free)
      },
      running("MUNTIN_CHECKPOINT_TARGET_NOT_EMPTY", "command" -> "bootstrap")() { (spark, source) =>
        source.run(source.query(sums), row(1))
        Muntin.bootstrap(source.query(sums), past(spark), source.checkpoint.toString)
      },
      running("MUNTIN_BOOTSTRAP_WITH_STATEFUL_OPERATOR", "operator" -> "StreamingDeduplicate")() {
        (spark, source) =>
          Muntin.bootstrap(source.query(sums).dropDuplicates("s"), past(spark), free)
      },
      running("MUNTIN_FILE_SINK_AFTER_BOOTSTRAP")() { (spark, source) =>
        val query = source.query(sums)
        val place = s"$free/checkpoint"
        Muntin.bootstrap(query, past(spark), place)
        query.writeStream.format("json").option("checkpointLocation", place).start(free).stop()
      },
      running("MUNTIN_BOOTSTRAP_HISTORIES", "sources" -> "2", "histories" -> "1")() {
        (spark, source) =>
          val other = spark.readStream.format("rate").load()
            .selectExpr("string(value) AS k", "timestamp AS at").withWatermark("at", "1 second")
          val query = source.query(sums)
          other.createOrReplaceTempView("streams_other")
          val both = spark.sql("SELECT count(*) OVER (PARTITION BY k ORDER BY at) AS c FROM (" +
            "SELECT k, at FROM streams_rows UNION ALL SELECT k, at FROM streams_other)")
          assert(query.isStreaming)
          Muntin.bootstrap(both, past(spark), free)
      }
    )
  }

  private def rows: Seq[ErrorCase] = Seq(
    running("MUNTIN_NULL_TIME_ON_STREAM", "function" -> "OVER", "time" -> "at")() { (_, source) =>
      source.run(source.query(sums), Row("a", null, 1))
    },
    running("MUNTIN_TIME_NOT_FINITE_ON_STREAM", "time" -> "x", "value" -> "NaN")(arrival) {
      (_, source) =>
        val sql = "SELECT count(*) FROM (SELECT IF(n > 1, DOUBLE('NaN'), 1D) AS x FROM " +
          "streams_rows) GROUP BY field_window(x, 1, 1)"
        source.run(source.query(sql, isMarked = false), row(2))
    },
    running(
      "MUNTIN_ROW_OUT_OF_ORDER",
      "time" -> "2024-01-01 00:00:05",
      "newest" -> "2024-01-01 00:00:09"
    )(arrival) { (_, source) =>
      source.runEach(source.query(sums, isMarked = false), row(9), row(5))
    },
    running(
      "MUNTIN_ROW_OUT_OF_ORDER_IN_GROUP",
      "time" -> "2024-01-01 00:00:05",
      "newest" -> "2024-01-01 00:00:09"
    )(byGroup) { (_, source) =>
      source.runEach(source.query(sums, isMarked = false), row(9), row(5))
    },
    running("MUNTIN_UPSTREAM_RESULT_OUT_OF_ORDER", "function" -> "OVER")(arrival) { (_, source) =>
      val windows = "SELECT k, sessions(at, '10 seconds') AS w, count(*) AS c FROM streams_rows " +
        "GROUP BY k, sessions(at, '10 seconds')"
      val query = source.query(
        s"SELECT sum(c) OVER (ORDER BY w.start) AS s FROM ($windows)",
        isMarked = false
      )
      val arrivals = Seq(row(0), row(4, "b"), row(8), row(16), row(40, "b"), row(80))
      source.runEach(query, arrivals: _*)
    },
    running("MUNTIN_ROW_AFTER_DRAINED_STREAM", "function" -> "OVER")(drain) { (_, source) =>
      val query = source.query(sums)
      source.run(query, row(1))
      source.run(query, row(100))
    },
    running(
      "MUNTIN_DRAIN_WITH_STATEFUL_OPERATOR",
      "drain" -> s"${drain._1}=true",
      "operator" -> "StateStoreSave"
    )(drain) { (_, source) =>
      val windows = "SELECT at, count(*) OVER (ORDER BY at) AS c FROM streams_rows"
      val query = source.query(
        s"SELECT window, max(c) AS c FROM ($windows) GROUP BY window(at, '1 minute')"
      )
      source.run(query, row(1))
    },
    running(
      "MUNTIN_REPEATED_ROWS_OF_UPSTREAM_AGGREGATE",
      "function" -> "OVER",
      "outputMode" -> "Update"
    )() { (_, source) =>
      val counted =
        "SELECT window, count(*) AS c FROM streams_rows GROUP BY window(at, '20 seconds')"
      val query = source.query(
        "SELECT sum(c) OVER (ORDER BY t) AS s FROM " +
          s"(SELECT window_time(window) AS t, c FROM ($counted))"
      )
      source.runWith(query, mode = "update")(row(1))
    }
  )

  private def warning(condition: String, parameters: (String, String)*)(
      run: (SparkSession, Source) => Any
  ): ErrorCase = warningOf(classOf[StreamProvider], condition, parameters: _*)(run)

  private def warningOf(logger: Class[_], condition: String, parameters: (String, String)*)(
      run: (SparkSession, Source) => Any
  ): ErrorCase = code(condition, parameters: _*)(provider -> rocksDb) { spark =>
    val texts = Warnings.of(logger) {
      run(spark, new Source(spark))
      spark.asInstanceOf[classic.SparkSession].sparkContext.listenerBus.waitUntilEmpty()
    }
    val found = texts.find(_.startsWith(s"[$condition]"))
    throw found.fold[Throwable](new AssertionError(s"no $condition in $texts")) { _ =>
      new MuntinAnalysisException(condition, allOf(condition, parameters): _*)
    }
  }

  /** Returns all of the condition's parameters; the case contains the values that it can predict. */
  private def allOf(condition: String, parameters: Seq[(String, String)]): Seq[(String, String)] =
    ErrorConditions(condition).parameters.toSeq
      .map(name => name -> parameters.toMap.getOrElse(name, "any"))

  /** Returns cases of conditions that only other versions of Spark raise. */
  private def ofOtherSparks(conditions: String*): Seq[ErrorCase] = conditions.map { condition =>
    ErrorCase(
      condition,
      Map.empty,
      _ => throw new MuntinAnalysisException(condition, allOf(condition, Nil): _*)
    )
  }

  private def warnings: Seq[ErrorCase] = Seq(
    warning("MUNTIN_STATE_STORE_SET", "setting" -> provider, "provider" -> rocksDb) {
      (spark, source) =>
        val before = spark.conf.getOption(provider)
        spark.conf.unset(provider)
        try source.run(source.query(sums), row(1))
        finally before.foreach(spark.conf.set(provider, _))
    },
    warning("MUNTIN_SINGLE_MICRO_BATCH") { (_, source) =>
      source.runWith(source.query(sums), trigger = OneTimeTrigger)(row(1))
    },
    warning("MUNTIN_SEVERAL_WATERMARKS", "watermarks" -> "2") { (spark, _) =>
      val streams = Seq("1 second", "2 seconds").map(unmarked(spark).withWatermark("at", _))
      streams.reduce(_ union _).createOrReplaceTempView("streams_both")
      spark.sql("SELECT sum(n) OVER (PARTITION BY k ORDER BY at) AS s FROM streams_both")
        .writeStream.format("noop").start().stop()
    },
    warningOf(ChangeInPlace.getClass, "MUNTIN_CHECKPOINT_CHANGED") { (spark, source) =>
      source.run(source.query(sums), row(1))
      val more = sums.replace(" FROM", ", max(n) OVER (PARTITION BY k ORDER BY at) AS m FROM")
      withConf(spark, Seq("spark.muntin.stream.change" -> "incomplete")) {
        source.run(source.query(more), row(1))
      }
    },
    warning("MUNTIN_NOTHING_DRAINED") { (spark, source) =>
      val query = source.query(sums)
      source.run(query, row(1))
      withConf(spark, Seq(drain))(source.run(query))
    }
  )
}

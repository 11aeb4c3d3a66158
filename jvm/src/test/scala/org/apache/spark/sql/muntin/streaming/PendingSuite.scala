package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}

import scala.jdk.StreamConverters._
import scala.util.Random

import io.muntin.Muntin
import io.muntin.functions._
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.RunningSpark
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/** The open results in a checkpoint equal the results that a drained query would emit from it. */
final class PendingSuite extends StreamSession {
  import StreamSession._

  private type Query = DataFrame => DataFrame

  private def rows(random: Random, count: Int): Seq[Row] = Seq.tabulate(count) { i =>
    Row(
      s"k${random.nextInt(3)}",
      at(if (random.nextInt(5) == 0) i / 10 * 10.0 else i.toDouble),
      i,
      if (random.nextInt(6) == 0) null else random.nextGaussian() * 1e5
    )
  }.sortBy(_.getTimestamp(1).getTime)

  private def marked(query: Query): Query = df => query(df.withWatermark("t", "5 seconds"))

  /** A query over a stream, which runs while it has rows. */
  private final class Stepwise(query: Query, outputMode: String = "append") {
    val checkpoint: Path = temporary()
    val source = new Source(Readings)
    private val answers = new Answers(checkpoint, outputMode)

    def frame: DataFrame = query(source.rows)

    /** The results after these rows. */
    def step(rows: Seq[Row]): Seq[Row] = {
      source.add(rows)
      answers.start(frame, Trigger.AvailableNow()).awaitTermination()
      answers.next()
    }

    /** The number of the last micro-batch. */
    def last: Long = answers.last._1

    def pending: Seq[Row] = {
      val before = files(checkpoint)
      val found = Muntin.pending(frame, checkpoint.toString).collect().toSeq
      assert(files(checkpoint) === before)
      found
    }

    /** The results of draining a copy of the checkpoint. */
    def drained(silent: Row): Seq[Row] = {
      val copied = temporary()
      Files.walk(checkpoint).toScala(Seq).filter(Files.isRegularFile(_)).foreach { file =>
        val to = copied.resolve(checkpoint.relativize(file))
        Files.createDirectories(to.getParent)
        Files.copy(file, to)
      }
      val answers = new Answers(copied)
      // Without a new row no micro-batch runs.
      source.add(Seq(silent))
      withConf(MuntinConf.StreamDrain.key -> "true") {
        answers.start(frame, Trigger.AvailableNow()).awaitTermination()
      }
      answers.next()
    }
  }

  for (format <- Seq("1", "2"))
    test(s"after an earlier micro-batch, in the store's format $format") {
      val key = "spark.sql.streaming.stateStore.checkpointFormatVersion"
      withConf(key -> format) {
        val query =
          marked(asked("SELECT i, lead(i, 2) OVER (PARTITION BY k ORDER BY t, i) AS l FROM t"))
        val made = new Stepwise(query)
        val batches = rows(new Random(12L), 40).grouped(10).toSeq
        // The last micro-batch of each step.
        val open = batches.map { rows =>
          made.step(rows): Unit
          (made.last, made.pending)
        }
        open.foreach { case (batch, rows) =>
          val found = Muntin.pending(made.frame, made.checkpoint.toString, batch).collect().toSeq
          assert(shown(found) === shown(rows))
        }
        assert(open.map(_._2.size).forall(_ > 0))
      }
    }

  private val back = "OVER (PARTITION BY k ORDER BY t, i"
  private val until = "CASE WHEN i % 9 = 0 THEN NULL ELSE t + make_dt_interval(0, 0, 0, i % 31) END"

  private def grouped(windows: String*): Query = asked(windows.map { window =>
    s"""SELECT "$window" AS window, k, string(w) AS w, n, total FROM (
       |  SELECT k, $window AS w, count(*) AS n, sum(d) AS total FROM t GROUP BY k, $window)
       |WHERE n % 7 <> 6""".stripMargin
  }.mkString("\nUNION ALL\n"))

  private def anchored(ordered: Boolean)(df: DataFrame): DataFrame = {
    val anchors = df.where("i % 5 = 0")
      .selectExpr("k", "t AS at", "t - INTERVAL 20 SECONDS AS lo", "t + INTERVAL 15 SECONDS AS hi")
    windowBy(
      df,
      anchors,
      col("t"),
      col("lo"),
      col("hi"),
      Seq("k"),
      obsolete = col("lo"),
      ordered = ordered && df.isStreaming // a table needs an order
    ).agg(count("*").as("n"), sum("d").as("total")).asInstanceOf[DataFrame]
  }

  private val queries: Seq[(String, Query)] = Seq(
    "OVER, looking back, ahead, and in a chain" -> asked(
      s"""SELECT *, avg(ahead) OVER (PARTITION BY i % 2 ORDER BY t RANGE BETWEEN
         |  INTERVAL 30 SECONDS PRECEDING AND INTERVAL 10 SECONDS FOLLOWING) AS twice
         |FROM (SELECT *, count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN CURRENT ROW AND
         |  INTERVAL 10 SECONDS FOLLOWING) AS ahead, sum(d) OVER (PARTITION BY k ORDER BY t RANGE
         |  INTERVAL 9 SECONDS PRECEDING) AS behind FROM t)""".stripMargin
    ),
    "OVER by rows" -> asked(
      s"SELECT i, lead(i, 2) $back) AS l, sum(d) $back ROWS 2 PRECEDING) AS s FROM t"
    ),
    "windows of groups" -> grouped(
      "field_window(t, 30, 30)",
      "field_window(t, 45, every => 20)",
      "ticks(t, 'minutely')",
      "ticks(t, 'minutely', span => 2, closed => 'left')",
      "hop(t, '1 day', '2 days', '15 seconds')",
      s"validity(t, $until)"
    ),
    "cut by the rows of all groups" -> grouped(s"validity(t, $until, dump_at => 4)"),
    "windows of windows" -> asked(
      """SELECT w.close AS at, k, sum(n) OVER (ORDER BY w.close) AS soFar
        |FROM (SELECT k, field_window(t, 10, 10) AS w, count(*) AS n FROM t
        |  GROUP BY k, field_window(t, 10, 10))""".stripMargin
    ),
    "window_by" -> anchored(ordered = false),
    "window_by, anchors in their order" -> anchored(ordered = true)
  )

  for (((name, query), seed) <- queries.zipWithIndex)
    sampledTest(s"$name: emitted and pending rows equal the batch, after each micro-batch") {
      val random = new Random(seed.toLong)
      val all = rows(random, 50)
      val stepwise = new Stepwise(marked(query))
      var seen = Seq.empty[Row]
      var out = Seq.empty[Row]
      cut(random, all, 20, 12).foreach { batch =>
        seen ++= batch
        out ++= stepwise.step(batch)
        val waits = stepwise.pending
        assert(waits.nonEmpty)
        assert(shown(out ++ waits) === shown(query(table(Readings, seen)).collect().toSeq))
      }
      assert(out.nonEmpty)
    }

  private val over = "sum(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 9 SECONDS PRECEDING)"
  private val thirty = grouped("field_window(t, 30, 30)")
  private val silent = Row("k", at(0L), -1, null)

  /** Rows with their own time, and a late row. */
  private val batches = Seq(
    Seq(10, 20, 40, 41).map(t => Row("k", at(t.toLong), t, t / 2.0)),
    Seq(Row("l", at(3L), 3, 1.0), Row("l", at(45L), 45, 1.0), Row("k", at(65L), 65, 8.0))
  )

  for (
    (name, settings) <- Seq(
      "unchanged" -> Nil,
      "in the order of arrival" ->
        Seq(MuntinConf.StreamOrder.key -> "arrival", MuntinConf.StreamOutOfOrder.key -> "drop"),
      "without a log of changes" ->
        Seq("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "false"),
      "with ids of its states" -> Seq(
        "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2"
      )
    )
  ) sampledTest(s"the results of a drained copy of the checkpoint: $name") {
    withConf(settings: _*) {
      val both = (df: DataFrame) =>
        thirty(df).unionByName(
          asked(s"SELECT k, 'over' AS window, string(t) AS w, 1L AS n, $over AS total FROM t")(df)
        )
      val stepwise = new Stepwise(df => both(df.where("i >= 0").withWatermark("t", "0 seconds")))
      batches.foreach(stepwise.step)
      val waits = stepwise.pending
      assert(waits.nonEmpty)
      assert(shown(waits) === shown(stepwise.drained(silent)))
    }
  }

  sampledTest(
    "a query in output mode update: the results of append, after any early answers"
  ) {
    def chain(revision: String): Query = asked(
      s"""SELECT k, string(w) AS w, n, sum(n) OVER (PARTITION BY k ORDER BY w.start, w.end) AS soFar
         |  $revision FROM (SELECT k, validity(t, $until) AS w, count(*) AS n FROM t
         |    GROUP BY k, validity(t, $until))""".stripMargin
    )
    def rows(revision: String): Query = asked(
      s"SELECT k, string(w) AS w, n $revision FROM (SELECT k, field_window(t, 30, 30) AS w, " +
        s"count(*) AS n $revision FROM t GROUP BY k, field_window(t, 30, 30))"
    )
    for (query <- Seq[String => Query](rows, chain); revision <- Seq("", ", revision() AS r")) {
      val appended = new Stepwise(marked(query(revision)))
      val updated = new Stepwise(marked(query(revision)), "update")
      batches.foreach { batch =>
        appended.step(batch)
        val early = updated.step(batch)
        val waits = updated.pending
        assert(early.nonEmpty && waits.nonEmpty)
        assert(shown(waits) === shown(appended.pending))
      }
    }
  }

  test("windows below windows of output mode update") {
    val below = marked(asked(
      "SELECT k, w.close AS at, n FROM (SELECT k, field_window(t, 10, 10) AS w, count(*) AS n " +
        "FROM t GROUP BY k, field_window(t, 10, 10))"
    ))
    val sums = (df: DataFrame) => {
      below(df).createOrReplaceTempView("tens")
      spark.sql("SELECT *, sum(n) OVER (PARTITION BY k ORDER BY at) AS soFar FROM tens")
    }
    val found = Seq("append", "update").map { mode =>
      val stepwise = new Stepwise(sums, mode)
      batches.foreach(stepwise.step)
      Muntin.pending(below(stepwise.source.rows), stepwise.checkpoint.toString).collect().toSeq
    }
    assert(found.head.nonEmpty)
    assert(shown(found(1)) === shown(found.head))
  }

  test("in SQL, as any table, and again when more rows have arrived") {
    val stepwise = new Stepwise(marked(thirty))
    stepwise.step(batches.head)
    stepwise.frame.createOrReplaceTempView("halves")
    val place = stepwise.checkpoint
    def asked(sql: String): Seq[Row] = spark.sql(sql).collect().toSeq
    val frame = spark.sql(s"SELECT k, n FROM pending(TABLE(halves), '$place') ORDER BY w")
    assert(!frame.isStreaming)
    assert(frame.collect().toSeq === Seq(Row("k", 2L)))
    val joined = s"SELECT a.n, b.total FROM pending(TABLE(halves), '$place') a JOIN " +
      s"pending(query => TABLE(halves), checkpoint => '$place') b ON a.w = b.w"
    assert(asked(joined) === Seq(Row(2L, 40.5)))
    // The checkpoint has the number of states of its start.
    withConf("spark.sql.shuffle.partitions" -> "7") {
      assert(asked(joined) === Seq(Row(2L, 40.5)))
    }
    val whole = Muntin.pending(stepwise.frame, place.toString)
    assert(whole.join(whole, "k").count() === 1L)
    assert(whole.schema("w").metadata === org.apache.spark.sql.types.Metadata.empty)
    assert(whole.queryExecution.executedPlan.toString.contains(s"MuntinPending $place"))
    stepwise.step(batches(1))
    assert(frame.where("true").collect().toSeq === Seq(Row("k", 1L)))
    val described = spark.sql("DESCRIBE FUNCTION EXTENDED pending").collect().mkString
    assert(described.contains("pending(TABLE(query), checkpoint[, batch_id])"), described)
    val tables = asked("SHOW TABLES").map(_.getAs[String]("tableName"))
    assert(tables.contains("halves") && !tables.exists(_.startsWith("muntin_pending")))
  }

  test("windows over windows: the rows that wait below") {
    def below(df: DataFrame) = asked(
      "SELECT w.close AS at, k, n FROM (SELECT k, field_window(t, 10, 10) AS w, count(*) AS n " +
        "FROM t GROUP BY k, field_window(t, 10, 10))"
    )(df.withWatermark("t", "0 seconds"))
    val upper = asked(
      "SELECT *, sum(n) OVER (ORDER BY at RANGE BETWEEN CURRENT ROW AND INTERVAL 30 SECONDS " +
        "FOLLOWING) AS next FROM t"
    ) _
    val stepwise = new Stepwise(df => upper(below(df)))
    batches.foreach(stepwise.step)
    def waits(query: DataFrame) =
      Muntin.pending(query, stepwise.checkpoint.toString).selectExpr("k", "n").collect().toSeq
    assert(waits(below(stepwise.source.rows)) === Seq(Row("k", 1L)))
    assert(waits(stepwise.frame).size === 3)
    // Without the lower windows, the query is another query.
    val above = upper(
      stepwise.source.rows.selectExpr("t AS at", "k", "1L AS n").withWatermark("at", "0 seconds")
    )
    assertRefused("MUNTIN_PENDING_OF_OTHER_QUERY")(waits(above))
  }

  test("while the query runs") {
    val source = new Source(Readings)
    val checkpoint = temporary()
    val answers = new Answers(checkpoint)
    val frame = marked(thirty)(source.rows)
    val running = answers.start(frame)
    try {
      val rows = batches.flatten.filter(_.getInt(2) != 3)
      rows.foreach { row =>
        source.add(Seq(row))
        running.processAllAvailable()
        assert(Muntin.pending(frame, checkpoint.toString).count() > 0L)
      }
      val out = answers.next()
      val waits = Muntin.pending(frame, checkpoint.toString).collect().toSeq
      assert(shown(out ++ waits) === shown(thirty(table(Readings, rows)).collect().toSeq))
      assert(running.isActive && running.exception.isEmpty)
    } finally running.stop()
  }

  test("windows that drain => false leaves open are open; late rows are not written again") {
    val folder = temporary()
    withConf(MuntinConf.StreamLateRows.key -> folder.toString) {
      val stepwise = new Stepwise(marked(grouped("field_window(t, 30, 30, drain => false)")))
      batches.foreach(stepwise.step(_))
      val late = files(folder)
      assert(stepwise.pending.size === 1)
      assert(files(folder) === late)
    }
  }

  test("before the first commit no rows wait") {
    val checkpoint = temporary()
    val source = new Source(Readings)
    source.add(batches.head)
    val frame = marked(thirty)(source.rows)
    intercept[Exception] {
      new Answers(checkpoint).start(frame, Trigger.AvailableNow(), _ => true).awaitTermination()
    }
    val before = files(checkpoint)
    assert(Muntin.pending(frame, checkpoint.toString).collect().isEmpty)
    assert(files(checkpoint) === before)
  }

  test("unsupported queries are rejected, with the remedy") {
    val stepwise = new Stepwise(marked(thirty))
    stepwise.step(batches.head)
    val place = stepwise.checkpoint.toString
    def refused(query: DataFrame, checkpoint: String = place)(
        condition: String,
        parameters: (String, String)*
    ): Unit = assertRefused(condition, parameters: _*)(Muntin.pending(query, checkpoint).collect())
    val rows = stepwise.source.rows.withWatermark("t", "5 seconds")
    val (none, state) = (s"$place/none", s"$place/state")
    refused(stepwise.frame, none)("MUNTIN_CHECKPOINT_NOT_FOUND", "path" -> none)
    refused(stepwise.frame, state)("MUNTIN_NOT_A_CHECKPOINT", "path" -> state)
    refused(table(Readings, Nil))("MUNTIN_PENDING_OF_BATCH")
    refused(rows)("MUNTIN_PENDING_WITHOUT_WINDOWS")
    refused(marked(grouped("field_window(t, 30, 15)"))(stepwise.source.rows))(
      "MUNTIN_PENDING_OF_OTHER_QUERY",
      "checkpoint" -> place,
      "property" -> "group by",
      "stored" -> "field_window(t, size => 30, advance => 30)"
    )
    refused(marked(queries.head._2)(stepwise.source.rows))(
      "MUNTIN_PENDING_OF_OTHER_QUERY",
      "property" -> "stateful operators",
      "stored" -> "[muntin]",
      "current" -> "[muntin, muntin]"
    )
    val stateless = new Stepwise(_.select("k"))
    stateless.step(batches.head)
    refused(stepwise.frame, stateless.checkpoint.toString)(
      "MUNTIN_PENDING_OF_OTHER_QUERY",
      "stored" -> "[]",
      "current" -> "[muntin]"
    )
    stepwise.frame.createOrReplaceTempView("halves")
    def invalid(arguments: String, condition: String, parameters: (String, String)*): Unit =
      assertCondition(
        intercept[AnalysisException](spark.sql(s"SELECT * FROM pending($arguments)")),
        condition,
        ("function" -> "pending") +: parameters: _*
      )
    val value = "MUNTIN_INVALID_ARGUMENT_VALUE"
    invalid("TABLE(halves), 1", value, "parameter" -> "checkpoint")
    invalid("TABLE(halves), ' '", value, "expected" -> "the path of a checkpoint")
    invalid("'halves', 'x'", value, "parameter" -> "query", "expected" -> "TABLE(…)")
    invalid(
      s"TABLE(halves) PARTITION BY (k), '$place'",
      "MUNTIN_PARTITIONED_TABLE_ARGUMENT",
      "example" -> "TABLE(…)"
    )
  }

  test("Spark's operators: accepted below windows, rejected above") {
    val below = new Stepwise(df => marked(thirty)(df.dropDuplicates("i")))
    below.step(batches.head ++ batches.head)
    assert(shown(below.pending).map(_.takeRight(8)) === Seq("2, 40.5]"))
    val above = new Stepwise(df => marked(thirty)(df).dropDuplicates("n"))
    above.step(batches.head)
    assertRefused("MUNTIN_PENDING_WITH_STATEFUL_OPERATOR", "operator" -> "StreamingDeduplicate") {
      above.pending
    }
  }

  test("the error of Spark's state data source names the function to call") {
    assume(RunningSpark.knowsTriggers, "it says that it cannot read the state")
    val stepwise = new Stepwise(marked(thirty))
    stepwise.step(batches.head)
    val place = stepwise.checkpoint.toString
    assertRefused("MUNTIN_STATE_SOURCE_OF_WINDOWS", "checkpoint" -> place) {
      spark.read.format("statestore").load(place).collect()
    }
    assert(spark.read.format("state-metadata").load(place).count() === 1L)
    val sparks = new Stepwise(_.withWatermark("t", "1 second").dropDuplicates("k"))
    sparks.step(batches.head)
    assert(spark.read.format("statestore").load(sparks.checkpoint.toString).count() === 1L)
  }
}

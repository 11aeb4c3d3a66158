package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}
import java.sql.Timestamp
import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.jdk.StreamConverters._
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{AnalysisException, Dataset => AnyDataset, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.muntin.{MuntinSession, Repeats, Tables}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress, Trigger}
import org.apache.spark.sql.types._

/**
 * Streams whose rows a test provides, micro-batch by micro-batch, and the results of queries over
 * them.
 */
trait StreamSession extends MuntinSession {
  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stopTimeout" -> "60s",
    // Each task of each micro-batch would compile code for a few rows.
    "spark.sql.codegen.factoryMode" ->
      (if (isCompiled || Repeats.isLong) "FALLBACK" else "NO_CODEGEN"),
    // The checkpoint takes half of a small micro-batch's time.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "true",
    // Each file is flushed, copied, packed, and deleted by a process.
    "spark.sql.streaming.stateStore.minDeltasForSnapshot" -> "1000",
    "spark.sql.streaming.checkpointFileManagerClass" ->
      RowStream.checkpointFiles
  )

  /** Returns true if operators run generated code, as for users; all do under `make test-long`. */
  protected def isCompiled: Boolean = false

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    PlainSum.register(spark)
  }

  /** The time of second 0. */
  protected def origin: Instant = Instant.parse("2024-01-01T00:00:00Z")

  protected final def at(seconds: Long): Timestamp = Timestamp.from(origin.plusSeconds(seconds))

  protected final def at(seconds: Double): Timestamp =
    Timestamp.from(origin.plus(math.round(seconds * 1e6), MICROS))

  /** Divides rows into micro-batches of random sizes from `least` on and below `least + more`. */
  protected final def cut(
      random: Random,
      rows: Seq[Row],
      more: Int,
      least: Int = 0
  ): Seq[Seq[Row]] =
    if (rows.isEmpty) Nil
    else {
      val (now, later) = rows.splitAt(least + random.nextInt(more))
      now +: cut(random, later, more, least)
    }

  /** Selects some of the micro-batches, about one in `most`. */
  protected final def chosen(random: Random, batches: Seq[Seq[Row]], most: Int = 4): Set[Int] =
    batches.indices.filter(_ => random.nextInt(most) == 0).toSet

  /** Returns the rows of a batch, in this order. */
  protected final def table(schema: StructType, rows: Seq[Row]): DataFrame =
    Tables.of(spark, rows, schema)

  /** Returns the query over the rows as the view `t`. */
  protected final def asked(sql: String)(rows: DataFrame): DataFrame = {
    rows.createOrReplaceTempView("t")
    spark.sql(sql)
  }

  protected final def shown(rows: Seq[Row]): Seq[String] = rows.map(Rendered(_)).sorted

  /** Returns the message of the error of a query that analysis rejects. */
  protected final def refusal(query: => Any): String =
    intercept[AnalysisException](query).getMessage

  /** Asserts that the query is rejected with this condition when it is analyzed. */
  protected final def assertRefused(
      condition: String,
      parameters: (String, String)*
  )(query: => Any): Unit =
    assertCondition(intercept[AnalysisException](query), condition, parameters: _*)

  /** Returns the parameters of the error, or of its cause, that has this condition. */
  protected final def parametersOf(error: Throwable, condition: String): Map[String, String] = {
    assertCondition(error, condition)
    causes(error).collectFirst {
      case e: SparkThrowable if e.getCondition == condition => e.getMessageParameters.asScala.toMap
    }.get
  }

  /**
   * Returns a metric of the first stateful operator; None if the micro-batch had no such operator.
   */
  protected final def metric(progress: StreamingQueryProgress, name: String): Option[Long] =
    progress.stateOperators.headOption.map(_.customMetrics.get(name).longValue)

  /** Returns the plan of the last micro-batch of this run; None before the first. */
  protected final def lastPlan(running: StreamingQuery): Option[SparkPlan] =
    Option(running.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution)
      .map(_.executedPlan)

  protected final def temporary(): Path = Files.createTempDirectory("muntin-stream")

  /** Returns every file and folder, with its time and contents. */
  protected final def files(folder: Path): Map[String, (Long, String)] =
    Files.walk(folder).toScala(Seq).map { file =>
      val bytes = if (Files.isDirectory(file)) Array.emptyByteArray else Files.readAllBytes(file)
      file.toString -> (
        (
          Files.getLastModifiedTime(file).toMillis,
          s"${bytes.length} ${java.util.Arrays.hashCode(bytes)}"
        )
      )
    }.toMap

  /** Returns the files of a log, or of the state of a partition, by their numbers. */
  protected final def numbered(folder: Path, suffix: String): Map[Long, Path] =
    Files.list(folder).toScala(Seq).filter(_.getFileName.toString.matches("\\d+.*"))
      .filter(_.getFileName.toString.endsWith(suffix))
      .map(file => file.getFileName.toString.takeWhile(_.isDigit).toLong -> file).toMap

  protected final def last(folder: Path, suffix: String = ""): Path =
    numbered(folder, suffix).maxBy(_._1)._2

  /** Returns the number of the last committed micro-batch. */
  protected final def committed(checkpoint: Path): Long =
    numbered(checkpoint.resolve("commits"), "").keys.max

  /** Returns the results of a query that is stopped and resumes from its checkpoint. */
  protected final class Answers(checkpoint: Path = temporary(), outputMode: String = "append") {
    // By Spark's number of the micro-batch: a repeated micro-batch counts once.
    private val byBatch = mutable.TreeMap.empty[Long, Seq[Row]]
    private var told = -1L

    /** With `fails` the sink has the rows of a micro-batch that is not committed. */
    def start(
        frame: org.apache.spark.sql.DataFrame,
        trigger: Trigger = Trigger.ProcessingTime(0L),
        fails: Long => Boolean = _ => false
    ): StreamingQuery =
      frame.writeStream
        .trigger(trigger)
        .option("checkpointLocation", checkpoint.toString)
        .outputMode(outputMode)
        .foreachBatch { (rows: AnyDataset[Row], id: Long) =>
          val all = rows.collect().toSeq
          byBatch.synchronized(byBatch(id) = all)
          if (fails(id)) throw new IllegalStateException("killed")
        }
        .start()

    /** Returns the results of the last micro-batch, and its number. */
    def last: (Long, Seq[Row]) = byBatch.synchronized(byBatch.last)

    /** Returns the results since the last call. */
    def next(): Seq[Row] = byBatch.synchronized {
      val found = byBatch.rangeFrom(told + 1L).values.flatten.toSeq
      told = byBatch.lastOption.fold(-1L)(_._1)
      found
    }
  }

  /** Returns a stream of rows; encoders do not support collations. */
  protected final class Source(schema: StructType) {
    private val stream = RowStream(ExpressionEncoder(schema, lenient = true), spark)

    def add(rows: Seq[Row]): Unit = stream.addData(rows): Unit

    def rows: DataFrame = {
      val made = stream.toDF()
      made.select(schema.map(f => made(f.name).cast(f.dataType).as(f.name)): _*)
    }
  }

  /**
   * Returns the results of a bounded stream with a run of `query` for each of `batches`: the
   * results of the runs before the last, and of the last run, which drains the stream.
   */
  protected final def drained(
      schema: StructType,
      batches: Seq[Seq[Row]],
      drain: Boolean
  )(query: DataFrame => DataFrame): (Seq[Row], Seq[Row]) = {
    val source = new Source(schema)
    val answers = new Answers()
    def run(rows: Seq[Row]): Unit = {
      source.add(rows)
      answers.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
    }
    batches.init.foreach(run)
    val early = answers.next()
    withConf(MuntinConf.StreamDrain.key -> drain.toString)(run(batches.last))
    (early, answers.next())
  }

  /**
   * Returns the results of `query` over a stream of `batches`, after each batch and at the end; the
   * query is stopped and started again from its checkpoint before the batches `restarts`.
   */
  protected final def streamed(
      schema: StructType,
      batches: Seq[Seq[Row]],
      restarts: Set[Int] = Set.empty,
      seen: StreamingQueryProgress => Unit = _ => (),
      outputMode: String = "append",
      checkpoint: Path = temporary()
  )(query: DataFrame => DataFrame): Seq[Seq[Row]] = {
    val source = new Source(schema)
    val answers = new Answers(checkpoint, outputMode)
    def start(): StreamingQuery = answers.start(query(source.rows))
    var running = start()
    val results = mutable.ArrayBuffer.empty[Seq[Row]]
    // A micro-batch without rows may still run when all rows have been processed.
    try
      batches.zipWithIndex.foreach { case (rows, i) =>
        if (restarts.contains(i)) {
          running.stop()
          running = start()
        }
        source.add(rows)
        running.processAllAvailable()
        running.recentProgress.foreach(seen)
        results += answers.next()
      }
    finally running.stop()
    results += answers.next()
    results.toSeq
  }
}

object StreamSession {

  /** The rows of several suites: a key, a time, a unique number, a value. */
  val Readings: StructType = StructType(Seq(
    StructField("k", StringType),
    StructField("t", TimestampType),
    StructField("i", IntegerType),
    StructField("d", DoubleType)
  ))

  /** StreamBase's table: time, symbol and volume of each tuple. */
  val Trades: Seq[(Int, String, Int)] = Seq(
    (10, "AMAT", 100),
    (20, "AMAT", 200),
    (40, "AMAT", 100),
    (41, "AMAT", 100),
    (45, "INTC", 100),
    (50, "AMAT", 200),
    (55, "INTC", 300),
    (65, "AMAT", 100)
  )

  /**
   * The windows that each tuple releases, and the end: symbol, opening and volume of windows of 30.
   */
  val TradesClosed: Seq[Seq[String]] = Seq(
    Nil,
    Nil,
    Seq("[AMAT, 0, 300]"),
    Nil,
    Nil,
    Nil,
    Nil,
    Seq("[AMAT, 30, 400]", "[INTC, 30, 400]"),
    Nil
  )
}

package org.apache.spark.sql.muntin.streaming

import java.io.{File, FileOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.UUID
import java.util.concurrent.TimeUnit

import scala.jdk.StreamConverters._
import scala.util.{Random, Try}

import org.apache.spark.sql.{ForeachWriter, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
import org.apache.spark.sql.muntin.Tables
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/**
 * A program: a query in real-time mode on a cluster of two executors, which it kills one after the
 * other. It ends with an error if the results do not equal a batch.
 *
 * {{{
 *   LostExecutors FOLDER KILLS SEED
 * }}}
 */
object LostExecutors {
  private val Executors = 2
  private val Partitions = 2
  private val RowMillis = 4L

  private val Query =
    """SELECT i, k, t,
      |  sum(d) OVER (w ROWS 50 PRECEDING) AS a,
      |  avg(d) OVER (w RANGE INTERVAL 90 SECONDS PRECEDING) AS b,
      |  max(d) OVER (w GROUPS 7 PRECEDING) AS c,
      |  stddev(d) OVER (w ROWS UNBOUNDED PRECEDING) AS s,
      |  lag(i, 3) OVER w AS l
      |FROM t WINDOW w AS (PARTITION BY k ORDER BY t)""".stripMargin

  def main(arguments: Array[String]): Unit = {
    val (folder, kills, seed) = (arguments(0), arguments(1), arguments(2))
    val random = new Random(seed.toLong)
    val spark = session()
    try new LostExecutors(spark, folder, random).run(kills.toInt)
    finally spark.stop()
  }

  private def session(): SparkSession = {
    val settings = Map(
      "spark.executor.extraClassPath" -> System.getProperty("java.class.path"),
      "spark.driver.host" -> "localhost",
      "spark.ui.enabled" -> "false",
      "spark.log.level" -> "OFF",
      "spark.sql.shuffle.partitions" -> Partitions.toString,
      "spark.sql.session.timeZone" -> "UTC",
      "spark.shuffle.streaming.networkBufferMaxWaitTimeMs" -> "1",
      "spark.sql.streaming.realTimeMode.allowlistCheck" -> "false",
      "spark.sql.streaming.realTimeMode.minBatchDuration" -> "1000",
      "spark.muntin.stream.order" -> "group"
    )
    // All tasks of a batch run at once: two of the source, two after the shuffle.
    val builder = SparkSession.builder().master(s"local-cluster[$Executors,2,1024]")
    settings.foreach { case (key, value) => builder.config(key, value) }
    builder.getOrCreate()
  }

  /** Appends each result to a file of the task, so that it is there if the executor is killed. */
  private final class LineWriter(folder: String) extends ForeachWriter[Row] {
    private var file: OutputStream = _

    override def open(partition: Long, epoch: Long): Boolean = {
      file = new FileOutputStream(new File(folder, UUID.randomUUID.toString))
      true
    }

    override def process(row: Row): Unit = file.write(s"${Rendered(row)}\n".getBytes(UTF_8))

    override def close(error: Throwable): Unit = if (file != null) file.close()
  }
}

private final class LostExecutors(spark: SparkSession, folder: String, random: Random) {
  import LostExecutors._

  private val results = s"$folder/results"
  Files.createDirectories(Paths.get(results)): Unit
  private val schema = StreamSession.Readings
  private val stream = {
    val encoder: ExpressionEncoder[Row] = ExpressionEncoder(schema, lenient = true)
    new LowLatencyMemoryStream[Row](0, spark, Partitions)(encoder)
  }
  private var rows = Vector.empty[Row]

  /** Adds rows until `isDone`. */
  private def sendUntil(isDone: => Boolean): Unit = while (!isDone) {
    val key = random.nextInt(20)
    val time = java.sql.Timestamp.from(java.time.Instant.ofEpochSecond(1700000000L + rows.size))
    val row = Row(s"k$key", time, rows.size, random.nextGaussian())
    stream.addData(key % Partitions, Seq(row)): Unit
    rows :+= row
    Thread.sleep(RowMillis)
  }

  /** Returns the results that have been emitted. An executor may have been killed within a line. */
  private def emitted: Seq[String] =
    new File(results).listFiles.toSeq.flatMap { file =>
      val text = new String(Files.readAllBytes(file.toPath), UTF_8)
      text.substring(0, text.lastIndexOf('\n') + 1).split('\n').filter(_.nonEmpty)
    }

  private def idOf(line: String): Int = line.substring(1, line.indexOf(',')).toInt

  private def asked(rows: DataFrame): DataFrame = {
    rows.createOrReplaceTempView("t")
    spark.sql(Query)
  }

  private def start(): StreamingQuery = {
    def registered = spark.sparkContext.statusTracker.getExecutorInfos.length - 1
    within(60, "executors")(executors.size == Executors && registered == Executors)
    asked(stream.toDF()).writeStream
      .foreach(new LineWriter(results))
      .option("checkpointLocation", s"$folder/checkpoint")
      .outputMode("update")
      .trigger(Trigger.RealTime(1500L))
      .start()
  }

  private def executors: Seq[ProcessHandle] =
    ProcessHandle.current.descendants.toScala(Seq).filter { process =>
      process.isAlive && commandOf(process).contains("CoarseGrainedExecutorBackend")
    }

  // ProcessHandle returns the first 4,096 characters only.
  private def commandOf(process: ProcessHandle): String =
    Try(Files.readString(Paths.get("/proc", process.pid.toString, "cmdline"))).getOrElse("")

  private def within(seconds: Int, what: String)(isDone: => Boolean): Unit = {
    val end = System.nanoTime + TimeUnit.SECONDS.toNanos(seconds.toLong)
    while (!isDone) {
      if (System.nanoTime > end) throw new IllegalStateException(s"no $what in $seconds s")
      Thread.sleep(20L)
    }
  }

  /** Kills an executor at any time of a batch, or between two. Returns true if the query failed. */
  private def runUntilKill(): Boolean = {
    val before = emitted.size
    val query = start()
    sendUntil(!query.isActive || emitted.size > before + 50)
    val kill = System.nanoTime + random.nextInt(2000) * 1000000L
    sendUntil(System.nanoTime > kill)
    val alive = executors
    val lost = alive(random.nextInt(alive.size))
    lost.destroyForcibly(): Unit
    within(20, "end of a killed executor")(!lost.isAlive)
    val until = System.nanoTime + TimeUnit.SECONDS.toNanos(10L)
    sendUntil(!query.isActive || System.nanoTime > until)
    val failed = query.exception.isDefined
    query.stop()
    failed
  }

  def run(kills: Int): Unit = {
    val failed = Seq.fill(kills)(runUntilKill()).count(identity)
    val query = start()
    var sent = 0
    sendUntil { sent += 1; sent > 50 }
    within(120, "result of each row") {
      query.exception.foreach(error => throw error)
      emitted.map(idOf).toSet.size == rows.size
    }
    query.stop()
    val lines = emitted
    println(s"${rows.size} rows, $kills kills, $failed failures, ${lines.size} results")
    val expected = asked(Tables.of(spark, rows, schema)).collect().map(Rendered(_)).toSet
    // A repeated result is the same line.
    val wrong = lines.toSet.diff(expected)
    if (wrong.nonEmpty || lines.toSet.size != rows.size) {
      throw new IllegalStateException(s"wrong results: ${wrong.take(5).mkString("\n")}")
    }
    if (failed == 0 || lines.size == rows.size) {
      throw new IllegalStateException("no kill repeated a result")
    }
  }
}

package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path
import java.util.UUID
import java.util.concurrent.{ConcurrentHashMap, LinkedBlockingQueue, TimeUnit}

import org.apache.spark.sql.{DataFrame => AnyDataFrame, ForeachWriter, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.datasources.v2.LowLatencyClock
import org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.{Clock, SystemClock}
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Millis, Seconds, Span}

/**
 * Streams in Spark's real-time mode, over a source in memory. A batch runs until the test ends it:
 * the batch uses a clock that only `endBatch` advances.
 */
trait RealTimeSession extends StreamSession with Eventually {
  import RealTimeSession._

  override implicit def patienceConfig: PatienceConfig =
    PatienceConfig(Span(60, Seconds), Span(5, Millis))

  override protected def settings: Map[String, String] = super.settings ++ Map(
    // All tasks of a batch run at once: two of the source, two after the shuffle. Batch queries of
    // the test need others.
    "spark.master" -> "local[6]",
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs" -> "1",
    "spark.sql.streaming.realTimeMode.allowlistCheck" -> "false",
    "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2",
    "spark.muntin.stream.order" -> "group"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    LowLatencyClock.setClock(new TestClock)
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally LowLatencyClock.setClock(new SystemClock)

  /** A source of two partitions; rows of equal `key` are in one. */
  protected final class RealTimeSource(schema: StructType, key: Row => Any) {
    private val stream = {
      val encoder: ExpressionEncoder[Row] = ExpressionEncoder(schema, lenient = true)
      new LowLatencyMemoryStream[Row](0, spark, Partitions)(encoder)
    }

    def add(rows: Row*): Unit = rows.foreach { row =>
      stream.addData(math.floorMod(key(row).##, Partitions), Seq(row)): Unit
    }

    def rows: DataFrame = {
      val made = stream.toDF()
      made.select(schema.map(f => made(f.name).cast(f.dataType).as(f.name)): _*)
    }
  }

  /** The results of a query, in the order in which its tasks emit them. */
  protected final class Emitted(checkpoint: Path = temporary()) {
    private val name = UUID.randomUUID.toString
    private val rows = new LinkedBlockingQueue[Row]
    sinks.put(name, rows): Unit

    def start(
        frame: AnyDataFrame,
        isRealTime: Boolean = true,
        isUpdate: Boolean = false
    ): StreamingQuery =
      frame.writeStream
        .foreach(new QueueWriter(name))
        .option("checkpointLocation", checkpoint.toString)
        .outputMode(if (isRealTime || isUpdate) "update" else "append")
        .trigger(if (isRealTime) Trigger.RealTime(BatchMillis) else Trigger.ProcessingTime(0L))
        .start()

    /** Waits for the next `count` results. */
    def next(query: StreamingQuery, count: Int): Seq[Row] = Seq.fill(count)(next(query))

    private def next(query: StreamingQuery): Row = {
      val until = System.nanoTime + TimeUnit.SECONDS.toNanos(60L)
      var found = rows.poll(50L, TimeUnit.MILLISECONDS)
      while (found == null) {
        query.exception.foreach(error => throw error)
        if (System.nanoTime > until) fail("no result within a minute")
        found = rows.poll(50L, TimeUnit.MILLISECONDS)
      }
      found
    }

    /** Returns the results that have been emitted and not been taken. */
    def rest(): Seq[Row] = Iterator.continually(rows.poll()).takeWhile(_ != null).toVector
  }

  /** Advances the clock of the batches, to `left` before the end of a batch that has just begun. */
  protected final def approachEnd(left: Long): Unit = TestClock.advance(BatchMillis - left)

  protected final def passTime(millis: Long): Unit = TestClock.advance(millis)

  /** Ends the tasks of all batches that run. */
  protected final def endTasks(): Unit = TestClock.advance(BatchMillis)

  /** Ends the batch of the query, and waits until the batch is committed. */
  protected final def endBatch(query: StreamingQuery): Unit = {
    def committed = Option(query.lastProgress).fold(-1L)(_.batchId)
    val before = committed
    endTasks()
    eventually {
      query.exception.foreach(error => throw error)
      assert(committed > before)
    }: Unit
  }

  protected final def running[T](query: StreamingQuery)(body: StreamingQuery => T): T =
    try body(query)
    finally query.stop()
}

object RealTimeSession {
  private val Partitions = 2
  private val BatchMillis = 100000L

  private val sinks = new ConcurrentHashMap[String, LinkedBlockingQueue[Row]]

  private final class QueueWriter(name: String) extends ForeachWriter[Row] {
    override def open(partition: Long, epoch: Long): Boolean = true

    override def process(row: Row): Unit = sinks.get(name).add(row): Unit

    override def close(error: Throwable): Unit = ()
  }

  /** A clock that tests advance; the tasks have copies of it. */
  private final class TestClock extends Clock with Serializable {
    override def getTimeMillis(): Long = TestClock.now

    override def nanoTime(): Long = TestClock.now * 1000000L

    override def waitTillTime(target: Long): Long = throw new UnsupportedOperationException
  }

  private object TestClock {
    @volatile private var millis = 1000000L

    def now: Long = millis

    def advance(by: Long): Unit = synchronized(millis += by)
  }
}

package org.apache.spark.sql.muntin.streaming

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import scala.util.Random

import org.apache.spark.{SparkEnv, TaskContext, TaskContextImpl}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.{Encoders, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.Assertion

/**
 * Groups that stay in memory share it with all other consumers: here it has 24 megabytes, and tasks
 * may use all of it.
 */
final class WarmGroupsSuite extends StreamSession {
  import StreamSession.Readings
  import WarmGroupsSuite._

  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.testing.memory" -> (40L << 20).toString,
    "spark.testing.reservedMemory" -> "0",
    "spark.memory.storageFraction" -> "0",
    "spark.buffer.pageSize" -> "64k",
    "spark.sql.shuffle.partitions" -> "1"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("greedy", (i: Int) => { if (i == 1234) takeAll(); i })
    spark.udf.register("kills", (i: Int) => kill(i))
    spark.udf.register(
      "fails",
      (i: Int) => if (i == 1234) throw new IllegalStateException("on purpose") else i
    ): Unit
  }

  private def memory = SparkEnv.get.memoryManager

  /** The memory that a task gets if it requests everything. */
  private def askForAll(): Long =
    spark.sparkContext.parallelize(Seq(1), 1).map(_ => takeAll()).collect().head

  private def rows(count: Int, keys: Int): Seq[Row] = {
    val random = new Random(7)
    Seq.tabulate(count)(i =>
      Row(s"k${random.nextInt(keys)}", at(i.toLong), i, random.nextGaussian())
    )
  }

  private def over(columns: String, frame: String) =
    s"SELECT $columns, " +
      s"sum(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL $frame PRECEDING) AS s, " +
      "max(d) OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 9 MINUTES PRECEDING) AS m FROM t"

  /** Asserts that the results until the last row equal a batch, and that all memory is released. */
  private def check(sql: String, all: Seq[Row], batch: Int)(after: => Any): Assertion = {
    checked(sql, all, batch)(after): Unit
    assert(memory.executionMemoryUsed === 0L)
    askForAll(): Unit
    assert(WarmStore.bytes === 0L)
  }

  /** The first result of both. */
  private def checked(sql: String, all: Seq[Row], batch: Int)(after: => Any): Assertion = {
    val batches = all.grouped(batch).toSeq
    val last = Row("end", at(10000000L), -1, 0.0)
    val query: DataFrame => DataFrame = asked(sql)
    val found = streamed(Readings, batches :+ Seq(last), seen = _ => after: Unit) { df =>
      query(df.withWatermark("t", "10 seconds"))
    }
    taken.set(0L)
    val wanted = query(table(Readings, all)).collect().toSeq
    assert(found.init.count(_.nonEmpty) > 2)
    assert(shown(found.flatten.filterNot(_.getInt(0) < 0)) === shown(wanted))
  }

  test("the limit applies to the process with the groups") {
    assert(spark.sessionState.conf.getConf(MuntinConf.StreamWarmMemory).isEmpty)
    assert(MuntinConf.StreamWarmMemory.defaultValue.flatten.isEmpty)
    assert(WarmStore.most(None) === Runtime.getRuntime.maxMemory / 4)
    assert(WarmStore.most(Some(5L)) === 5L)
  }

  test("between micro-batches they are storage memory, and a task can get all of it") {
    var most = 0L
    check(over("i, k, t, d", "5 MINUTES"), rows(1500, 100), 300) {
      val held = WarmStore.bytes
      most = math.max(most, held)
      assert(memory.storageMemoryUsed >= held)
      assert(memory.executionMemoryUsed === 0L)
      val free = WarmStore.free
      val got = askForAll()
      // Tasks also have some other memory.
      assert(got + Step > free + held)
      assert(WarmStore.bytes === 0L)
    }
    assert(most > 100L * 8192L)
  }

  sampledTest(
    "between micro-batches as much memory is free, also if other tasks use most of it"
  ) {
    val greedy = new Greedy(new TaskMemoryManager(memory, -77L))
    greedy.take(15L << 20): Unit
    var most = 0L
    def asMuchFree(): Assertion = {
      most = math.max(most, WarmStore.bytes)
      // Broadcast variables are created and removed.
      assert(WarmStore.free + (1L << 20) > WarmStore.bytes)
    }
    try checked(over("i, k, t, d", "5 HOURS"), rows(9000, 3000), 3000)(asMuchFree()): Unit
    finally greedy.giveBack()
    assert(most > (1L << 20))
  }

  test("they stay if no consumer requests memory") {
    var held = Seq.empty[Long]
    check(over("i, k, t, d", "5 MINUTES"), rows(1500, 100), 300) {
      held :+= WarmStore.bytes
    }
    assert(held.count(_ > 100L * 8192L) > 3)
  }

  test("an operator of the same task gets their memory on request") {
    taken.set(0L)
    var most = 0L
    var after = Option.empty[Long]
    val sql = s"SELECT greedy(i) AS i, k, t, s, m FROM (${over("i, k, t", "5 MINUTES")})"
    check(sql, rows(1500, 100), 300) {
      val held = WarmStore.bytes
      if (taken.get == 0L) most = math.max(most, held)
      else if (after.isEmpty) after = Some(held)
    }
    // They were dropped, and there was no room for others while the operator held the memory.
    assert(most > 100L * 8192L)
    assert(after.exists(_ < most / 4), s"$after of $most")
  }

  sampledTest("more groups than fit into memory") {
    check(over("i, k, t, d", "5 HOURS"), rows(9000, 3000), 3000)(())
  }

  for (warm <- Seq("0", "64m"))
    test(s"the state of windows spills if memory is short, and $warm may stay") {
      val random = new Random(3)
      val all = rows(1200, 2).map(r => Row(r(0), r(1), r(2), math.rint(random.nextGaussian() * 50)))
      val functions = Seq(
        "sum(d)",
        "max(d)",
        "median(d)",
        "count(DISTINCT d)",
        "mode() WITHIN GROUP (ORDER BY i % 7)",
        "first_value(d)",
        "plain_sum(i)",
        "framed(min(d), exclude => 'current row')"
      )
      val columns = functions.zipWithIndex.map { case (f, i) =>
        s"$f OVER (PARTITION BY k ORDER BY t RANGE INTERVAL 20 MINUTES PRECEDING) AS r$i"
      }
      val sql = s"SELECT i, ${columns.mkString(", ")}, " +
        "max(d) OVER (PARTITION BY k ORDER BY t ROWS 300 PRECEDING) AS m FROM t"
      val spilled = new Spilled
      spark.sparkContext.addSparkListener(spilled)
      try
        withConf(
          MuntinConf.OverForceSpill.key -> "true",
          MuntinConf.StreamWarmMemory.key -> warm
        )(check(sql, all, 300)(()))
      finally spark.sparkContext.removeSparkListener(spilled)
      assert(warm != "0" || spilled.bytes.get > 0L)
    }

  for {
    (where, failing) <- Seq[(String, DataFrame => DataFrame)](
      "with a group in hand" -> (_.selectExpr("fails(i) AS i")),
      "when its state is committed" -> { df =>
        df.mapPartitions { rows =>
          rows ++ new Iterator[Row] {
            override def hasNext: Boolean = throw new IllegalStateException("on purpose")
            override def next(): Row = throw new NoSuchElementException
          }
        }(Encoders.row(df.schema)).asInstanceOf[DataFrame]
      }
    )
  }
    test(s"a task that fails $where releases the memory of its groups") {
      val sql = over("i", "5 MINUTES")
      val error = intercept[StreamingQueryException] {
        streamed(Readings, rows(1500, 100).grouped(300).toSeq) { df =>
          failing(asked(sql)(df.withWatermark("t", "10 seconds")))
        }
      }
      assert(messages(error).contains("on purpose"))
      assert(memory.executionMemoryUsed === 0L)
      askForAll(): Unit
      assert(WarmStore.bytes === 0L)
    }

  test("a task that is killed while it emits results ends soon; another task emits them all") {
    killed.set(-1L)
    resultsOfKilled.set(0)
    val sql = s"SELECT kills(i) AS i, k, t, s, m FROM (${over("i, k, t", "5 MINUTES")})"
    // All rows of a micro-batch wait for the next micro-batch, which has no rows.
    check(sql, rows(24000, 1), 6000)(())
    assert(killed.get >= 0L)
    assert(resultsOfKilled.get < 3000)
  }

  test("no group stays if the limit is 0") {
    withConf(MuntinConf.StreamWarmMemory.key -> "0") {
      check(over("i, k, t, d", "5 MINUTES"), rows(600, 10), 150)(assert(WarmStore.bytes === 0L))
    }
  }
}

object WarmGroupsSuite {

  /** The bytes that tasks have spilled for lack of memory. */
  private final class Spilled extends SparkListener {
    val bytes = new AtomicLong
    override def onTaskEnd(end: SparkListenerTaskEnd): Unit =
      bytes.addAndGet(Option(end.taskMetrics).fold(0L)(_.diskBytesSpilled)): Unit
  }

  private val killed = new AtomicLong
  private val resultsOfKilled = new AtomicInteger

  /**
   * Kills the first task that reads the row, like a user, and counts the rows that the task still
   * reads.
   */
  private def kill(i: Int): Int = {
    val task = TaskContext.get()
    if (i == 7000 && killed.compareAndSet(-1L, task.taskAttemptId())) {
      task.asInstanceOf[TaskContextImpl].markInterrupted("on purpose")
    }
    if (killed.get == task.taskAttemptId()) resultsOfKilled.incrementAndGet()
    i
  }

  private val Step = 64L << 10

  /** The memory that a task got that requested everything. */
  private val taken = new AtomicLong

  private final class Greedy(manager: TaskMemoryManager)
      extends MemoryConsumer(manager, MemoryMode.ON_HEAP) {
    def take(bytes: Long): Long = acquireMemory(bytes)
    def giveBack(): Unit = freeMemory(getUsed)
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }

  private def takeAll(): Long = {
    val greedy = new Greedy(TaskContext.get().taskMemoryManager())
    TaskContext.get().addTaskCompletionListener[Unit](_ => greedy.giveBack())
    // In small steps: Spark drops no block for a request that cannot be granted completely.
    var got = 0L
    var step = Step
    while (step > 256L) {
      val more = greedy.take(step)
      got += more
      if (more < step) step /= 2
    }
    taken.set(got)
    got
  }
}

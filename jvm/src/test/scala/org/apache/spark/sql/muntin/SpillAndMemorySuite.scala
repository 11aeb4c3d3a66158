package org.apache.spark.sql.muntin

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._

import org.apache.spark.{SparkException, TaskKilledException}
import org.apache.spark.memory.SparkOutOfMemoryError
import org.scalatest.Assertion

/** Little memory: spilled rows are read back, rejected memory is an error, and nothing leaks. */
class SpillAndMemorySuite extends SmallTask {

  // 12 MiB for both tasks together.
  override protected def settings: Map[String, String] = Map(
    "spark.testing.memory" -> (16L << 20).toString,
    "spark.testing.reservedMemory" -> "0",
    "spark.memory.fraction" -> "0.75",
    "spark.memory.storageFraction" -> "0.0",
    "spark.buffer.pageSize" -> "64k"
  )

  private val Rows = 60_000

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val session = spark
    import session.implicits._
    // Some 300 bytes per row: 18 MB. Uses a function that the optimizer cannot move above the
    // window.
    spark
      .range(0, Rows.toLong, 1, 2)
      .map(id => (id.longValue, id % 2, id % 1000, "wide" * 70))
      .toDF("id", "k", "x", "wide")
      .createOrReplaceTempView("wide")
    spark.sql("SELECT id, x FROM wide WHERE id < 500").createOrReplaceTempView("few")
  }

  private def over(frame: String): String =
    s"SELECT id, sum(x) OVER (ORDER BY id $frame) AS s, wide FROM wide"

  // Compares with sums by the test: stock Spark reads its spilled partition again for each row.
  private def spills(frame: String)(until: Int => Int): Assertion = {
    val sums = (0 until Rows).scanLeft(0L)((s, id) => s + id % 1000)
    val made = spark.sql(over(frame))
    val rows = made.collect()
    assert(rows.length === Rows)
    rows.foreach { row =>
      val id = row.getLong(0).toInt
      assert(row.getLong(1) === sums(until(id)) - sums(id), s"$id, $frame")
      assert(row.getString(2).length === 280)
    }
    val metrics = muntinNodes(made).head.metrics.map { case (name, m) => name -> m.value }
    assert(metrics("spillSize") > (1 << 20), s"$metrics, $frame")
  }

  test("rows that wait for later rows are spilled and read back") {
    spills("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")(_ => Rows)
    spills("ROWS BETWEEN CURRENT ROW AND 50000 FOLLOWING")(id => math.min(id + 50_001, Rows))
    spills("RANGE BETWEEN CURRENT ROW AND 50000 FOLLOWING")(id => math.min(id + 50_001, Rows))
  }

  sampledTest(
    "with forced spill, every waiting row is spilled, also in many small partitions"
  ) {
    val frames = Seq(
      "id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING",
      // Each row has one peer: the first waits for the second, and the second waits after it.
      "id DIV 100 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
      "id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    )
    frames.foreach(frame => assert(forced(frame) > 500 * 8, frame))
  }

  /** The number of spilled bytes if every waiting row spills. */
  private def forced(frame: String): Long = {
    val query = s"SELECT id, sum(x) OVER (PARTITION BY id % 50 ORDER BY $frame) FROM few"
    withConf("spark.muntin.over.forceSpill" -> "true") {
      // Stock Spark has no GROUPS.
      if (!frame.contains("GROUPS")) checkSame(query)
      val made = spark.sql(query)
      assert(made.collect().length === 500)
      muntinNodes(made).head.metrics("spillSize").value
    }
  }

  test("a row without peers waits for no row, if its frame ends with its peers") {
    // After the last row of a task, no row shows that no peer follows.
    assert(forced("id RANGE BETWEEN 100 PRECEDING AND CURRENT ROW") < 100 * 8)
    assert(forced("id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW") < 100 * 8)
    assert(forced("id, x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES") < 100 * 8)
    assert(forced("id RANGE BETWEEN 100 PRECEDING AND 1 FOLLOWING") > 500 * 8)
    assert(forced("id DIV 100 GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW") > 500 * 8)
  }

  sampledTest("a whole partition is spilled, and returns stock Spark's rows") {
    val frame = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    checkSame(over(frame))
    val made = spark.sql(over(frame))
    assert(made.collect().length === Rows)
    assert(muntinNodes(made).head.metrics("spillSize").value > (1 << 20))
  }

  test("frames that look back do not spill") {
    val frame = spark.sql(over("ROWS 1000 PRECEDING"))
    assert(frame.collect().length === Rows)
    assert(muntinNodes(frame).head.metrics("spillSize").value === 0)
  }

  sampledTest("rejected memory fails the query with Spark's error, and the next query works") {
    val refused = intercept[SparkException] {
      // Wide decimals with ranks stay in memory.
      val held = (1 to 60).map(n => s"median(CAST(nullif(id, $n) AS DECIMAL(30))) OVER w AS f$n")
      val window = "w AS (ORDER BY id ROWS 50000 PRECEDING)"
      spark.sql(s"SELECT ${held.mkString(", ")} FROM wide WINDOW $window").collect()
    }
    val text = messages(refused)
    assert(text.contains("SparkOutOfMemoryError"), text)
    assert(text.contains("UNABLE_TO_ACQUIRE_MEMORY"), text)
    assertCondition(refused, "MUNTIN_OUT_OF_MEMORY")
    assert(spark.sql(over("ROWS 10 PRECEDING")).collect().length === Rows)
  }

  test("a LIMIT that stops the iterator early does not leak") {
    // A task that leaks fails: spark.unsafe.exceptionOnMemoryLeak.
    val window = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 2000 PRECEDING AND 2000 FOLLOWING)"
    assert(spark.sql(s"SELECT max(wide) $window, sum(x) $window FROM wide LIMIT 5").count() === 5)
    assert(
      spark.sql(
        s"SELECT * FROM (SELECT id, min(wide) $window FROM wide) LIMIT 7"
      ).collect().length === 7
    )
  }

  test("a session works after a cancelled query") {
    val group = "to be cancelled"
    val query = Future {
      spark.sparkContext.setJobGroup(group, group, interruptOnCancel = true)
      spark
        .range(0, 400_000_000L, 1, 1)
        .selectExpr(
          "sum(id) OVER (ORDER BY id ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING) AS s"
        )
        .filter("s < 0")
        .collect()
    }
    val tracker = spark.sparkContext.statusTracker
    val deadline = 60.seconds.fromNow
    def isRunning =
      tracker.getJobIdsForGroup(group).nonEmpty && tracker.getActiveStageIds().nonEmpty
    while (!isRunning && deadline.hasTimeLeft()) Thread.sleep(50)
    Thread.sleep(300)
    spark.sparkContext.cancelJobGroup(group)
    intercept[SparkException](Await.result(query, 60.seconds))
    assert(spark.sql(over("ROWS 10 PRECEDING")).collect().length === Rows)
  }

  private val source = "FROM range(0, 100000, 1, 1)"

  private val frames = Seq(
    "ROWS BETWEEN 5000 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 5000 PRECEDING AND 5000 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  )

  private def both(frame: String): String =
    s"SELECT id, sum(id) OVER w, max(string(id)) OVER w $source WINDOW w AS (ORDER BY id $frame)"

  for (frame <- frames) {
    sampledTest(s"a task that ends early, is killed, or completes releases everything: $frame") {
      val plenty = 64L << 20
      assert(inTask(both(frame), plenty)((rows, _) => rows.hasNext) === 0, "not begun")
      assert(
        inTask(both(frame), plenty)((rows, _) => rows.take(10).foreach(_ => ())) === 0,
        "early"
      )
      assert(
        inTask(both(frame), plenty) { (rows, context) =>
          rows.take(2000).foreach(_ => ())
          context.markInterrupted("a test")
          val killed =
            intercept[TaskKilledException](rows.foreach(_ => context.killTaskIfInterrupted()))
          context.markTaskFailed(killed)
        } === 0,
        "killed"
      )
      assert(inTask(both(frame), plenty)((rows, _) => assert(rows.size === 100_000)) === 0, "whole")
    }

    sampledTest(s"rejected memory: the task releases everything: $frame") {
      var used = -1L
      // The values of lists stay in memory.
      val query = both(frame).replace("max(", "collect_list(")
      val held = inTask(query, 256L << 10) { (rows, context) =>
        intercept[SparkOutOfMemoryError](rows.foreach(_ => ())): Unit
        used = context.taskMemoryManager.getMemoryConsumptionForThisTask
      }
      assert(used > 0)
      assert(held === 0)
    }
  }

  /** Functions that store more of the frame than its values. */
  private val holding = Seq(
    "count(DISTINCT @)",
    "sum(DISTINCT @)",
    "median(@)",
    "mode(@, true)",
    "collect_set(@)",
    "listagg(string(@))",
    "listagg(string(@)) WITHIN GROUP (ORDER BY @ DESC)",
    "histogram_numeric(@, 5)"
  )

  private def held(function: String, value: String): String =
    s"SELECT ${function.replace("@", value)} OVER (ORDER BY id ROWS 2000 PRECEDING) " +
      "FROM range(0, 10000, 1, 1)"

  // Rising, falling, scattered, a few, one.
  for (value <- Seq("id", "(-id)", "(id * 7919 % 10007)", "(id % 7)", "abs(5L - 0 * id)"))
    sampledTest(s"the state of functions is accounted for, and released: values $value") {
      def used(function: String): Long = {
        var bytes = 0L
        val left = inTask(held(function, value), 256L << 20) { (rows, context) =>
          assert(rows.size === 10_000)
          bytes = context.taskMemoryManager.getMemoryConsumptionForThisTask
        }
        assert(left === 0, function)
        bytes
      }
      val values = used("sum(@)")
      val distinct = !value.contains("%") && !value.contains("abs") || value.contains("10007")
      holding.foreach { function =>
        val least = if (distinct) 4 * 2000 else 0
        assert(used(function) >= values + least, function)
      }
    }

  holding.foreach { function =>
    sampledTest(s"rejected memory: the function releases everything: $function") {
      val left = inTask(held(function, "id"), 12L << 10) { (rows, _) =>
        intercept[SparkOutOfMemoryError](rows.foreach(_ => ())): Unit
      }
      assert(left === 0)
    }
  }

  test("waiting rows spill for another consumer of the task's memory") {
    val query =
      s"SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 20000 FOLLOWING) $source"
    val bytes = 4L << 20
    val last = 99_999L
    val held = inTask(query, bytes) { (rows, context) =>
      val greedy = new Greedy(context.taskMemoryManager)
      var id = 0L
      var taken = 0L
      rows.foreach { row =>
        val until = math.min(last, id + 20_000)
        assert(row.getLong(0) === id)
        assert(row.getLong(1) === (id + until) * (until - id + 1) / 2)
        if (id == 30_000) {
          taken = greedy.take(bytes - (512L << 10))
          greedy.giveBack()
        }
        id += 1
      }
      assert(id === last + 1)
      assert(taken > bytes / 2)
    }
    assert(held === 0)
  }
}

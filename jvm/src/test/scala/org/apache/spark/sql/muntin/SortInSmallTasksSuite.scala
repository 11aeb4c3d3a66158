package org.apache.spark.sql.muntin

import org.apache.spark.{TaskContextImpl, TaskKilledException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.exchange.ColumnExchangeExec

/**
 * Muntin's sort with little memory: runs on disk, memory for others, and no files or memory remain.
 */
class SortInSmallTasksSuite extends SmallTask {
  import SortInSmallTasksSuite._

  // A compiled projection writes its next row when `hasNext` is called.
  override protected def settings: Map[String, String] =
    Map("spark.sql.codegen.wholeStage" -> "false")

  /** The number of tasks that make rows; the sort is in one task. */
  protected def slices: Int = 1

  protected def sortOf(made: DataFrame): SparkPlan = made.queryExecution.executedPlan

  private def inTask(query: String, bytes: Long)(
      body: (Iterator[InternalRow], TaskContextImpl) => Any
  ): Long = inTask(query, bytes, () => false, sortOf(_))(body)

  private val Rows = 40_000

  private def query(
      rows: Int = Rows,
      function: String = "max(s)",
      key: String = "concat('key', id % 7)"
  ): String =
    s"SELECT id, $function OVER (PARTITION BY k ORDER BY x DESC, id), id + 1 FROM (SELECT id, " +
      s"concat('row ', id) AS s, $key AS k, id * 7919 % 10007 AS x, nullif(id, -1) AS nullable " +
      s"FROM range(0, $rows, 1, $slices))"

  private def sorted(rows: Int = Rows): Seq[Long] =
    (0L until rows.toLong).sortBy(id => (id % 7, -x(id), id))

  private def ids(rows: Iterator[InternalRow]): Seq[Long] = rows.map { row =>
    // A row is valid until `next` is called, not only until `hasNext` is called.
    rows.hasNext: Unit
    row.getLong(0)
  }.toVector

  private def files: Set[String] = taskFiles.map(_.getName).toSet

  test("more rows than memory are sorted in runs, and their files are deleted at the end") {
    val before = files
    val held = inTask(query(), 1L << 20) { (rows, context) =>
      assert(ids(rows) === sorted())
      assert(context.taskMetrics.memoryBytesSpilled > Rows * 20L)
      assert(context.taskMetrics.diskBytesSpilled > 0L)
      assert((files -- before).size > 1)
    }
    assert(held === 0L)
    assert(files === before)
  }

  test("rows of any size, including rows longer than a page") {
    val session = spark
    import session.implicits._
    // Uses a function that the optimizer cannot move above the window.
    spark
      .range(0, 2_000, 1, slices)
      .map(id => (id.longValue, id % 7, x(id), wide(id)))
      .toDF("id", "k", "x", "wide")
      .createOrReplaceTempView("wide")
    val query = "SELECT id, wide, row_number() OVER (PARTITION BY k ORDER BY x DESC, id) FROM wide"
    val held = inTask(query, 1L << 20) { (rows, context) =>
      sorted(2_000).foreach { id =>
        assert(rows.hasNext)
        val row = rows.next()
        assert(row.getLong(0) === id)
        assert(row.getUTF8String(1).toString === wide(id))
      }
      assert(!rows.hasNext)
      assert(context.taskMetrics.memoryBytesSpilled > 0L)
    }
    assert(held === 0L)
  }

  test("rows that are not emitted yet spill for other consumers") {
    for (bytes <- Seq(16L << 20, 2L << 20)) {
      val held = inTask(query(), bytes) { (rows, context) =>
        val greedy = new Greedy(context.taskMemoryManager)
        val expected = sorted()
        val some = rows.take(1_000).map(_.getLong(0)).toVector
        val spilled = context.taskMetrics.memoryBytesSpilled
        val taken = greedy.take(bytes)
        assert(taken > bytes - (256L << 10))
        assert(context.taskMetrics.memoryBytesSpilled > spilled)
        assert(some ++ ids(rows) === expected)
        greedy.giveBack()
      }
      assert(held === 0L)
    }
  }

  test("results of rows that spill, all before the first is emitted or some after it") {
    for (bytes <- Seq(16L << 20, 1L << 20)) {
      // Rows of a fixed size, which are contiguous.
      val ofNumbers = query(function = "count(nullable)", key = "id % 7")
      val held = inTask(ofNumbers, bytes) { (rows, context) =>
        val greedy = new Greedy(context.taskMemoryManager)
        def result(row: InternalRow) = row.getLong(0) -> row.getLong(1)
        val some = rows.take(1_000).map(result).toVector
        greedy.take(bytes): Unit
        val all = some ++ rows.map(result).toVector
        val expected = sorted().groupBy(_ % 7).toSeq.sortBy(_._1).flatMap(_._2.zipWithIndex)
        assert(all === expected.map { case (id, before) => id -> (before + 1L) })
        assert(context.taskMetrics.diskBytesSpilled > 0L)
        greedy.giveBack()
      }
      assert(held === 0L)
    }
  }

  test("memory requests that are denied at random: equal rows, or an out-of-memory error") {
    refusedNowAndThen(query(6_000), Seq(3, 10, 40), sortOf(_)) { rows =>
      assert(ids(rows) === sorted(6_000))
    }
  }

  test("a task that is killed, or ends early, leaves nothing") {
    val before = files
    for (bytes <- Seq(1L << 20, 16L << 20)) {
      val held = inTask(query(), bytes) { (rows, context) =>
        rows.take(10).foreach(_ => ())
        context.markInterrupted("a test")
        intercept[TaskKilledException](rows.foreach(_ => context.killTaskIfInterrupted())): Unit
      }
      assert(held === 0L)
      assert(inTask(query(), bytes)((rows, _) => rows.take(10).foreach(_ => ())) === 0L)
    }
    val killed = inTask(query(), 1L << 20) { (rows, context) =>
      context.markInterrupted("a test")
      intercept[TaskKilledException](rows.hasNext): Unit
    }
    assert(killed === 0L)
    assert(files === before)
  }
}

/** The same rows in the stripes of a columnar exchange, which has been written before. */
class StripesInSmallTasksSuite extends SortInSmallTasksSuite {
  override protected def slices: Int = 2

  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.adaptive.enabled" -> "false",
    "spark.sql.shuffle.partitions" -> "1",
    MuntinConf.ExchangeEnabled.key -> "true"
  )

  override protected def sortOf(made: DataFrame): SparkPlan = {
    assert(nodes(made) { case e: ColumnExchangeExec => e }.size === 1)
    made.queryExecution.toRdd.count(): Unit
    super.sortOf(made)
  }
}

/** The same rows, copied out of the stripes when they arrive. */
class CopiedStripesInSmallTasksSuite extends StripesInSmallTasksSuite {
  override protected def settings: Map[String, String] =
    super.settings + (MuntinConf.SortMostGathered.key -> "0")
}

private object SortInSmallTasksSuite {
  def x(id: Long): Long = id * 7919 % 10_007

  def wide(id: Long): String =
    s"$id " + (id % 10).toString * (if (id % 100 == 7) 90_000 else (id % 50).toInt)
}

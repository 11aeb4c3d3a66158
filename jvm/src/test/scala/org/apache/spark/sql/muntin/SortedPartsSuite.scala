package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.TaskKilledException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.sort.MuntinSortExec

/**
 * Rows that arrive in the order of their keys are sorted part by part, with the result of a sort of
 * all rows.
 */
final class SortedPartsSuite extends SmallTask {
  // A compiled projection writes its next row when `hasNext` is called.
  override protected def settings: Map[String, String] = Map(
    "spark.sql.codegen.wholeStage" -> "false",
    MuntinConf.ExchangeEnabled.key -> "true"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 400, seed = 31)
  }

  /** Returns the sorts of a query, the lowest first, and whether each runs part by part. */
  private def sorts(made: DataFrame): Seq[(MuntinSortExec, Boolean)] =
    nodes(made) { case s: MuntinSortExec => s -> s.simpleString(100).endsWith("part by part") }
      .reverse

  private def stacked(from: String, windows: (String, String)*): String =
    windows.zipWithIndex.foldLeft(s"SELECT * FROM $from") { case (below, ((keys, order), i)) =>
      s"SELECT *, count(*) OVER ($keys ORDER BY $order ROWS 3 PRECEDING) AS r$i FROM ($below)"
    }

  private def byKey(orders: String*): Seq[(String, String)] = orders.map("PARTITION BY k" -> _)

  private def check(query: String, inParts: Seq[Boolean], rowsInMemory: Int*): Unit = {
    def rows(made: DataFrame) = made.collect().toSeq.map(_.toSeq.map {
      case bytes: Array[Byte] => bytes.toSeq
      case other => String.valueOf(other)
    })
    val expected = withConf(MuntinConf.SortEnabled.key -> "false")(rows(spark.sql(query)))
    (Int.MaxValue +: rowsInMemory).foreach { some =>
      withConf(MuntinConf.SortSpillRows.key -> some.toString) {
        val made = spark.sql(query)
        assert(rows(made) === expected, s"$query, $some rows in memory")
        assert(sorts(made).map(_._2) === inParts, query)
      }
    }
  }

  test("another order over the same keys, and a longer one over the same order") {
    check(stacked("t", byKey("i32, id", "y DESC, id"): _*), Seq(false, true), 1, 7, 60)
    check(stacked("t", byKey("i32, id", "i32, y DESC, id"): _*), Seq(false, true), 1, 7, 60)
    check(stacked("t", byKey("id", "i32, id", "ts, id"): _*), Seq(false, true, true), 7)
    // The keys are in order, and the further columns are in another order.
    check(stacked("t", byKey("i32 DESC, id", "i32, y DESC, id"): _*), Seq(false, true), 1, 7)
    check(stacked("t", byKey("i32 NULLS LAST, id", "i32, y, id"): _*), Seq(false, true), 1, 7)
  }

  test("all rows of a key are one part, for any number of rows") {
    val keys = "PARTITION BY flag"
    check(stacked("t", keys -> "i32, id", keys -> "ts, id"), Seq(false, true), 7)
  }

  test("rows that are not in the order of the keys are one part") {
    check(
      stacked("t", "PARTITION BY k" -> "id", "PARTITION BY i8, k" -> "ts, id"),
      Seq(false, false),
      7
    )
    check(stacked("t", "" -> "i32, id", "" -> "ts, id"), Seq(false, false), 7)
  }

  for (seed <- Repeats.seeds(20))
    test(s"random keys and orders, $seed") {
      val random = new Random(seed.toLong)
      def some(most: Int) =
        random.shuffle(Seq(
          "k",
          "i8",
          "s",
          "flag",
          "d18",
          "f",
          "bin",
          "d38"
        )).take(1 + random.nextInt(most))
      val keys = some(2).mkString("PARTITION BY ", ", ", "")
      def order = some(2).map(_ + Seq("", " DESC", " NULLS LAST")(random.nextInt(3))) :+ "id"
      val orders = Seq.fill(2 + random.nextInt(2))(order.mkString(", ")).distinct
      val frames =
        Seq("ROWS 3 PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING", "RANGE CURRENT ROW")
      val query = orders.zipWithIndex.foldLeft("SELECT * FROM t") { case (below, (order, i)) =>
        val frame = frames(random.nextInt(frames.size))
        s"SELECT *, sum(i32) OVER ($keys ORDER BY $order $frame) AS r$i FROM ($below)"
      }
      check(query, false +: orders.tail.map(_ => true), 1 + random.nextInt(60))
    }

  private val Rows = 120_000

  private def ofTask(keys: Int, orders: String*): String = stacked(
    s"(SELECT id, id % $keys AS k, id * 7919 % 10007 AS x FROM range(0, $Rows, 1, 1))",
    byKey("id" +: orders: _*): _*
  )

  private def ids(keys: Int): Seq[Long] =
    (0L until Rows.toLong).sortBy(id => (id % keys, id * 7919 % 10007, id))

  private def ids(rows: Iterator[InternalRow]): Seq[Long] = rows.map(_.getLong(0)).toVector

  test("with memory for only one part") {
    // The memory in use when the first row has been emitted and nothing has spilled.
    def held(keys: Int, orders: String*): Long = {
      var bytes = 0L
      inTask(ofTask(keys, orders: _*), 128L << 20) { (rows, context) =>
        rows.next(): Unit
        assert(context.taskMetrics.memoryBytesSpilled === 0L)
        bytes = context.taskMemoryManager.getMemoryConsumptionForThisTask
      }: Unit
      bytes
    }
    for ((keys, isOne) <- Seq(1 -> true, 40 -> false, Rows -> false)) {
      val ofLower = held(keys)
      val ofUpper = held(keys, "x, id") - ofLower
      assert(if (isOne) ofUpper > ofLower / 2 else ofUpper < ofLower / 3, s"$keys keys")
    }
  }

  test("with little memory a part that does not fit spills, and no files or memory remain") {
    for (keys <- Seq(2, 40)) {
      val held = inTask(ofTask(keys, "x, id"), 4L << 20) { (rows, context) =>
        val expected = ids(keys)
        assert(ids(rows) === expected)
        assert(context.taskMetrics.diskBytesSpilled > 0L)
      }
      assert(held === 0L)
      assert(taskFiles.isEmpty)
    }
  }

  test("memory that is rejected at random, a task that ends early, and a task that is killed") {
    refusedNowAndThen(ofTask(40, "x, id"), Seq(10, 40, 200)) { rows =>
      assert(ids(rows) === ids(40))
    }: Unit
    val early =
      inTask(ofTask(40, "x, id"), 4L << 20)((rows, _) => rows.take(20_000).foreach(_ => ()))
    assert(early === 0L)
    val killed = inTask(ofTask(40, "x, id"), 4L << 20) { (rows, context) =>
      rows.take(20_000).foreach(_ => ())
      context.markInterrupted("a test")
      intercept[TaskKilledException](rows.foreach(_ => ())): Unit
    }
    assert(killed === 0L)
    assert(taskFiles.isEmpty)
  }
}

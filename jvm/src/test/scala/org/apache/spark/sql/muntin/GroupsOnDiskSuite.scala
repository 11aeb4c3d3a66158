package org.apache.spark.sql.muntin

import java.io.{File, UncheckedIOException}
import java.nio.file.Files

import scala.util.Random

import io.muntin.kernel.columns.{LongColumn, Slots}
import org.apache.spark.TaskKilledException
import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.panes.PanePartialsExec
import org.apache.spark.sql.muntin.execution.rows.{SpillStore, TaskMemory}
import org.scalatest.Assertion

/** Windows of groups without memory, like FramesOnDiskSuite for windows of OVER. */
class GroupsOnDiskSuite extends SmallTask {
  private val Plenty = 256L << 20

  override protected def settings: Map[String, String] = Map(
    MuntinConf.PanesEnabled.key -> "false",
    "spark.sql.adaptive.enabled" -> "false"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val columns = "id * 7919 % 10007 - 5000 AS x, IF(id % 5 = 0, NULL, id * 31 % 997 / 7D) AS d, " +
      "CAST(id * 7919 % 10007 AS DECIMAL(30, 2)) AS w, string(id * 13 % 10007) AS s, id AS up"
    spark.sql(s"SELECT id, $columns FROM range(0, 40000, 1, 1)").createOrReplaceTempView("rows")
    // The rows are already in the order of the windows, so the task does not sort.
    def sorted(name: String, order: String, query: String): Unit = {
      val made = spark.sql(query).sortWithinPartitions(order).cache()
      assert(made.count() > 0)
      made.createOrReplaceTempView(name)
    }
    sorted("timed", "t", "SELECT *, timestamp_seconds(id) AS t FROM rows")
    sorted(
      "spans",
      "a",
      "SELECT *, id AS a, IF(id % 97 = 0, NULL, id + pmod(hash(id), 16000)) AS b, id + 5000 AS c FROM rows " +
        "WHERE id < 12000"
    )
    spark.sql(
      "SELECT id AS aid, id * 90 AS lo, id * 90 + 20000 + id % 3 * 2500 AS hi FROM range(0, 220, 1, 1)"
    ).createOrReplaceTempView("anchors")
  }

  private val numbers = Seq(
    "sum(x)",
    "avg(d)",
    "min(x)",
    "max(d)",
    "max(up)",
    "count(d)",
    "first(d)",
    "first(d, true)",
    "last(x)",
    "var_samp(d)",
    "bit_or(x)"
  )

  private val wide = Seq("sum(w)", "max(s)", "min_by(s, x)", "first(s)", "count(s)")

  private val distinct = Seq("count(DISTINCT s)", "sum(DISTINCT x)", "mode(x, true)")

  private val merged = Seq("histogram_numeric(d, 3)", "count_min_sketch(x, 0.2D, 0.5D, 1)")

  private val ranks = Seq("median(x)", "percentile(d, 0.99D)")

  private sealed case class Windows(name: String, query: Seq[String] => String, little: Long)

  private def grouped(from: String, window: String, little: Long): Windows = Windows(
    window,
    functions => {
      val fields = window.takeWhile(_ != '(')
      s"SELECT $fields, ${functions.mkString(", ")} FROM $from GROUP BY $window"
    },
    little
  )

  private val field = grouped("rows", "field_window(id, 30000, 37)", 600L << 10)
  private val opened = grouped("rows", "field_window(id, 25000, 9000, every => 3000)", 600L << 10)
  private val ticks = grouped("timed", "ticks(t, 'minutely', span => 500)", 600L << 10)
  private val lasting = grouped("spans", "validity(a, c)", 400L << 10)
  private val scattered = grouped("spans", "validity(a, b)", 400L << 10)
  private val element = grouped("spans", "validity(a, b, emit => 'element')", 400L << 10)

  private val anchored = Windows(
    "window_by",
    functions => {
      val listed = functions.zipWithIndex.map { case (f, i) => s"$f AS r$i" }.mkString(", ")
      s"SELECT * FROM window_by(TABLE(SELECT * FROM rows), TABLE(anchors), " +
        "\"" + listed + "\", 'up', 'lo', 'hi')"
    },
    700L << 10
  )

  private val intervals = Windows(
    "intervals",
    functions =>
      s"SELECT ${functions.map(f => s"intervals($f, a, b)").mkString(", ")} FROM spans WHERE id < 4000",
    200L << 10
  )

  private val inOrder = Seq(field, opened, ticks, anchored)
  private val inAnyOrder = Seq(lasting, scattered, element)

  // A hash of each row's bytes is sufficient for comparison, and stays small.
  private def hashes(rows: Iterator[InternalRow]): Vector[Int] =
    rows.map(_.asInstanceOf[UnsafeRow].hashCode).toVector

  private val expected = scala.collection.mutable.HashMap.empty[String, Vector[Int]]

  private def right(query: String): Vector[Int] = expected.getOrElseUpdate(
    query, {
      var found = Vector.empty[Int]
      assert(inTask(query, Plenty) { (rows, context) =>
        found = hashes(rows)
        assert(context.taskMetrics.memoryBytesSpilled === 0)
      } === 0)
      assert(found.nonEmpty)
      found
    }
  )

  private def files: Seq[File] = taskFiles
    .filter(_.getName.startsWith("temp_local"))

  private def agrees(windows: Windows, functions: Seq[String]): Assertion = {
    val query = windows.query(functions)
    val wanted = right(query)
    val held = inTask(query, windows.little) { (rows, context) =>
      assert(hashes(rows) === wanted)
      assert(context.taskMetrics.memoryBytesSpilled > 0, "nothing was spilled")
    }
    assert(held === 0)
    assert(files.isEmpty)
  }

  for (windows <- inOrder) {
    test(s"numbers return equal bits from the disk: ${windows.name}")(agrees(windows, numbers))
    // With intermediate results, each running result holds a string.
    val times = if (windows eq opened) 6 else 2
    test(s"strings and wide decimals: ${windows.name}") {
      agrees(windows.copy(little = times * windows.little), wide)
    }
  }

  for (windows <- Seq(ticks, anchored))
    test(s"partials: ${windows.name}")(agrees(windows, merged))

  test("ranks and distinct values") {
    agrees(ticks.copy(little = 3 * ticks.little), Seq("median(x)", "count(DISTINCT s)"))
  }

  for (windows <- inAnyOrder) {
    test(s"rows that leave in any order: ${windows.name}") {
      agrees(windows, Seq("sum(x)", "max(d)", "min_by(up, x)"))
    }
    test(s"strings, positions and values of rows that leave in any order: ${windows.name}") {
      agrees(
        windows.copy(little = 2 * windows.little),
        Seq("first(s)", "count(DISTINCT x)", "median(x)")
      )
    }
  }

  test("partials of rows that leave in any order") {
    val few = grouped("(SELECT * FROM spans WHERE a < 2000)", "validity(a, b)", 160L << 10)
    agrees(few, Seq("histogram_numeric(d, 3)"))
  }

  test("intervals") {
    agrees(intervals, Seq("sum(x)", "max(d)"))
  }

  test("another consumer of the task's memory gets the memory of the windows") {
    for (
      (windows, bytes, left) <- Seq(
        (field, 4L << 20, 1L << 20),
        (scattered, 1L << 20, 450L << 10),
        (anchored, 2L << 20, 1L << 20)
      )
    ) {
      val asked = windows.query(numbers.take(4))
      val wanted = right(asked)
      val held = inTask(asked, bytes) { (rows, context) =>
        val greedy = new Greedy(context.taskMemoryManager)
        var row = 0
        var taken = 0L
        rows.foreach { r =>
          assert(r.hashCode === wanted(row))
          row += 1
          if (row == wanted.size / 2) {
            assert(context.taskMetrics.memoryBytesSpilled === 0)
            // All of the memory.
            taken = greedy.take(bytes)
            greedy.giveBack()
          }
        }
        assert(row === wanted.size)
        assert(taken > bytes - left, windows.name)
        assert(context.taskMetrics.memoryBytesSpilled > 0, windows.name)
      }
      assert(held === 0)
      assert(files.isEmpty)
    }
  }

  sampledTest(
    "requests that are rejected at random: the correct rows, or an error; nothing remains"
  ) {
    var errors = 0
    val seeds = 0 until 14
    seeds.foreach { seed =>
      val random = new Random(seed)
      val functions =
        random.shuffle(numbers ++ wide ++ distinct ++ ranks :+ "histogram_numeric(d, 3)").take(3)
      val windows = (inOrder ++ inAnyOrder :+ intervals)(seed % 8)
      val asked = windows.query(functions)
      val wanted = right(asked)
      val every = Seq(3, 10, 40)(random.nextInt(3))
      var refused = 0
      val held = inTask(
        asked,
        4L << 20,
        () => {
          val refuses = random.nextInt(every) == 0
          if (refuses) refused += 1
          refuses
        }
      ) { (rows, _) =>
        try assert(hashes(rows) === wanted, s"seed $seed: $asked")
        catch { case _: SparkOutOfMemoryError => errors += 1 }
      }
      assert(refused > 0, s"seed $seed")
      assert(held === 0, s"seed $seed")
      assert(files.isEmpty, s"seed $seed")
    }
    assert(errors > 0)
    assert(errors < seeds.size)
  }

  test("panes with as many rows as fit into memory") {
    withConf(MuntinConf.PanesEnabled.key -> "true") {
      val query = "SELECT id % 3 AS k, field_window, sum(x), avg(d), max(x), count(up) FROM rows " +
        "GROUP BY id % 3, field_window(id, 300, 100)"
      def partials(bytes: Long): Int = {
        var count = 0
        val held = inTask(
          query,
          bytes,
          operator = made => nodes(made) { case p: PanePartialsExec => p }.head
        )((rows, _) => count = rows.size)
        assert(held === 0)
        count
      }
      assert(partials(Plenty) === 3 * 400)
      // A pane that begins in one chunk and ends in the next is emitted twice.
      assert(partials(700L << 10) > 3 * 400)
    }
  }

  test("missing memory raises Spark's error, and all memory is released") {
    for (windows <- Seq(field, scattered, anchored)) {
      val held = inTask(windows.query(Seq("collect_list(x)", "max(s)")), 100L << 10) { (rows, _) =>
        val error = intercept[SparkOutOfMemoryError](rows.foreach(_ => ()))
        assertCondition(error, "MUNTIN_OUT_OF_MEMORY")
      }
      assert(held === 0)
      assert(files.isEmpty)
    }
  }

  test("a full disk is an error, and all memory is released") {
    val directory = Files.createTempDirectory("muntin-full")
    val held = inTask(field.query(Seq("sum(x)")), Plenty) { (_, context) =>
      val store = new SpillStore(context, newFile = fullDisk(directory))
      val memory = TaskMemory.paged(context, store, forceSpill = true)((_, _) => ())
      val arriving = new LongColumn(memory, nullable = false)
      val slots = new Slots(memory)
      slots.column(arriving): Unit
      val error = intercept[UncheckedIOException] {
        (0L until 10_000L).foreach { row =>
          arriving.append(row)
          slots.take(row)
        }
      }
      assert(error.getMessage.contains("spark.local.dir"))
      assert(context.taskMemoryManager.getMemoryConsumptionForThisTask > 0L)
    }
    assert(held === 0)
    assert(directory.toFile.list.isEmpty)
  }

  test("a task that is killed while windows spill leaves nothing") {
    Seq(
      grouped("rows", "field_window(id, 30000, 10)", field.little),
      scattered,
      anchored
    ).foreach { windows =>
      val held = inTask(windows.query(numbers.take(3)), windows.little / 2) { (rows, context) =>
        while (context.taskMetrics.diskBytesSpilled == 0 && rows.hasNext) rows.next(): Unit
        assert(context.taskMetrics.diskBytesSpilled > 0, windows.name)
        assert(files.nonEmpty)
        context.markInterrupted("a test")
        val killed = intercept[TaskKilledException](rows.foreach(_ => ()))
        context.markTaskFailed(killed)
      }
      assert(held === 0)
      assert(files.isEmpty)
    }
  }
}

package org.apache.spark.sql.muntin

import java.io.{File, UncheckedIOException}
import java.nio.file.Files

import scala.util.Random

import org.apache.spark.TaskKilledException
import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.SpillStore
import org.scalatest.Assertion

/**
 * Frames without memory: their rows are written to disk and read back. In all cases the rows are
 * correct or the query raises an error, and no files or memory remain.
 */
class FramesOnDiskSuite extends SmallTask {
  private val Rows = 60_000
  private val Plenty = 256L << 20

  // Too few bytes for any frame below, but enough for pages of all columns.
  private val Little = 600L << 10

  private val source =
    s"(SELECT id, id * 7919 % 10007 - 5000 AS x, IF(id % 5 = 0, NULL, id * 31 % 997 / 7D) AS d, " +
      s"CAST(id * 7919 % 10007 AS DECIMAL(30, 2)) AS w, string(id * 13 % 10007) AS s, id AS up " +
      s"FROM range(0, $Rows, 1, 1))"

  private val numbers = Seq(
    "sum(x)",
    "avg(d)",
    "min(x)",
    "max(d)",
    "min(up)",
    "max(up)",
    "count(d)",
    "first(d)",
    "last(x)",
    "nth_value(x, 7)",
    "var_samp(d)"
  )

  private val wide = Seq("sum(w)", "min(w)", "max(s)", "min_by(s, x)", "first(s)", "count(s)")

  private val frames = Seq(
    "ROWS BETWEEN 40000 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 25000 PRECEDING AND 15000 FOLLOWING",
    "ROWS BETWEEN 30000 PRECEDING AND 29000 PRECEDING",
    "RANGE BETWEEN 40000 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 1000 FOLLOWING AND UNBOUNDED FOLLOWING"
  )

  private def query(functions: Seq[String], frame: String): String =
    s"SELECT id, ${functions.map(f => s"$f OVER w").mkString(", ")} FROM $source " +
      s"WINDOW w AS (ORDER BY id $frame)"

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
      found
    }
  )

  /** Returns the spill files of Spark. */
  private def files: Seq[File] = taskFiles
    .filter(_.getName.startsWith("temp_local"))

  private def agrees(query: String, bytes: Long): Assertion = {
    val wanted = right(query)
    val held = inTask(query, bytes) { (rows, context) =>
      assert(hashes(rows) === wanted)
      assert(context.taskMetrics.memoryBytesSpilled > 0, "nothing was spilled")
    }
    assert(held === 0)
    assert(files.isEmpty)
  }

  for ((name, functions) <- Seq("numbers" -> numbers, "strings and wide decimals" -> wide))
    for (frame <- frames)
      sampledTest(s"$name return equal bits from the disk: $frame", most = 3) {
        agrees(query(functions, frame), if (name == "numbers") Little else 2 * Little)
      }

  for (frame <- Seq(frames.head, frames(4)))
    test(s"positions among nulls, and bits: $frame") {
      val ignoring = Seq("first_value(d, true)", "last_value(IF(id % 3 = 0, x, NULL), true)")
      agrees(query(ignoring ++ Seq("bit_or(x)", "bit_and(IF(x > 0, x, NULL))"), frame), Little / 2)
    }

  test("many frames over the same columns") {
    val widths = Seq(100, 5000, 20_000, 40_000)
    val results = widths.flatMap(w => Seq("sum(x)", "max(x)", "max(up)").map(f => s"$f OVER w$w"))
    val windows = widths.map(w => s"w$w AS (ORDER BY id ROWS $w PRECEDING)")
    agrees(
      s"SELECT id, ${results.mkString(", ")} FROM $source WINDOW ${windows.mkString(", ")}",
      Little
    )
  }

  // Most rows of a frame have distinct values, or few do.
  private val distinct = Seq(
    "count(DISTINCT s)",
    "count(DISTINCT x, d)",
    "sum(DISTINCT x)",
    "avg(DISTINCT d)",
    "sum(DISTINCT w)",
    "mode(x, true)",
    "mode(s, true)",
    "count(DISTINCT id % 7)"
  )

  for (frame <- Seq(frames(1), frames(4)))
    sampledTest(s"distinct values from the disk: $frame", most = 2) {
      agrees(query(distinct, frame), 5 * Little)
    }

  test("distinct values from the disk, partition after partition") {
    val window = "OVER (PARTITION BY id DIV 30000 ORDER BY id ROWS 25000 PRECEDING)"
    agrees(
      s"SELECT id, ${distinct.map(f => s"$f $window").mkString(", ")} FROM $source",
      4 * Little
    )
  }

  test("distinct values of frames that only grow") {
    val functions = Seq("count(DISTINCT s)", "avg(DISTINCT x)", "mode(s, true)")
    agrees(query(functions, "ROWS UNBOUNDED PRECEDING"), Little)
  }

  private val merged = Seq("histogram_numeric(d, 3)", "count_min_sketch(x, 0.2D, 0.5D, 1)")

  for (frame <- Seq(frames.head, frames(1)))
    sampledTest(s"merged partials from the disk: $frame", most = 2) {
      agrees(query(merged, frame), Little)
    }

  test("merged partials from the disk, partition after partition") {
    val window = "OVER (PARTITION BY id DIV 20000 ORDER BY id ROWS 15000 PRECEDING)"
    agrees(s"SELECT id, sum(x) $window, min(up) $window, max(d) $window FROM $source", 300L << 10)
  }

  test("structures that stay in memory get memory from structures that spill") {
    val frame = "ROWS 12000 PRECEDING"
    agrees(
      s"SELECT id, sum(x) OVER w, max(d) OVER w, median(up) OVER w FROM $source " +
        s"WINDOW w AS (ORDER BY id $frame)",
      400L << 10
    )
  }

  test("ranks of values that do not fit into memory") {
    agrees(
      s"SELECT id, median(x) OVER w, percentile(x, 0.99) OVER w FROM $source " +
        s"WINDOW w AS (ORDER BY id ROWS 20000 PRECEDING)",
      170L << 10
    )
  }

  test("another consumer of the task's memory gets the memory of the frames") {
    val asked = query(numbers, frames.head)
    val wanted = right(asked)
    val bytes = 8L << 20
    val held = inTask(asked, bytes) { (rows, context) =>
      val greedy = new Greedy(context.taskMemoryManager)
      var row = 0
      var taken = 0L
      rows.foreach { r =>
        assert(r.hashCode === wanted(row))
        row += 1
        if (row == 45_000) {
          assert(context.taskMetrics.memoryBytesSpilled === 0)
          taken = greedy.take(bytes - (1L << 20))
        }
        if (row == 50_000) greedy.giveBack()
      }
      assert(row === Rows)
      assert(taken === bytes - (1L << 20))
      assert(context.taskMetrics.memoryBytesSpilled > 0)
    }
    assert(held === 0)
    assert(files.isEmpty)
  }

  sampledTest(
    "requests that are rejected at random: the correct rows, or an error; nothing remains"
  ) {
    var (errors, queriesRefused) = (0, 0)
    val seeds = 0 until 12
    seeds.foreach { seed =>
      val random = new Random(seed)
      val functions = random.shuffle(numbers ++ wide ++ distinct :+ "median(x)").take(4)
      val asked = query(functions, frames(random.nextInt(frames.size)))
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
        try assert(hashes(rows) === wanted, s"seed $seed")
        catch { case _: SparkOutOfMemoryError => errors += 1 }
      }
      if (refused > 0) queriesRefused += 1
      assert(held === 0, s"seed $seed")
      assert(files.isEmpty, s"seed $seed")
    }
    // A query with few requests may get all of its memory.
    assert(queriesRefused >= seeds.size - 2)
    assert(errors > 0)
    assert(errors < seeds.size)
  }

  test("a task that is killed while frames spill leaves nothing") {
    Seq(frames.head, "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING").foreach { frame =>
      val held = inTask(query(numbers ++ wide, frame), 2 * Little) { (rows, context) =>
        rows.take(45_000).foreach(_ => ())
        assert(context.taskMetrics.diskBytesSpilled > 0)
        assert(files.nonEmpty)
        context.markInterrupted("a test")
        val killed = intercept[TaskKilledException](rows.foreach(_ => ()))
        context.markTaskFailed(killed)
      }
      assert(held === 0)
      assert(files.isEmpty)
    }
  }

  test("an interrupted thread continues to read and write until the task checks for the kill") {
    val asked = query(Seq("sum(x)", "min(up)"), frames.head)
    val wanted = right(asked)
    val held = inTask(asked, 400L << 10) { (rows, context) =>
      val found = Vector.newBuilder[Int]
      rows.foreach { row =>
        found += row.hashCode
        Thread.currentThread().interrupt()
      }
      assert(Thread.interrupted())
      assert(found.result() === wanted)
      assert(context.taskMetrics.diskBytesSpilled > 0)
    }
    assert(held === 0)
  }

  test("a full disk is an error") {
    val directory = Files.createTempDirectory("muntin-full")
    assert(inTask(query(Seq("sum(x)"), frames.head), Plenty) { (_, context) =>
      val store = new SpillStore(context, newFile = fullDisk(directory))
      val error = intercept[UncheckedIOException](store.write(new Array[Byte](100_000), 100_000L))
      assert(error.getMessage.contains("No space left on device"))
      assert(error.getMessage.contains("spark.local.dir"))
      store.close()
      assert(directory.toFile.list.isEmpty)
      assert(new File("/dev/full").exists)
    } === 0)
  }

  test("unused files are deleted") {
    assert(inTask(query(Seq("sum(x)"), frames.head), Plenty) { (_, context) =>
      val store = new SpillStore(context, fileBytes = 1000L)
      val random = new Random(5)
      val pages = Vector.fill(40)(random.nextBytes(300))
      val places = pages.map(p => store.write(p, p.length.toLong))
      val many = files.size
      assert(many > 8)
      Random.shuffle(pages.zip(places)).foreach { case (page, place) =>
        assert(store.read(place).sameElements(page))
      }
      places.take(20).foreach(store.free)
      assert(files.size <= many / 2 + 1)
      places.drop(20).zip(pages.drop(20)).foreach { case (place, page) =>
        assert(store.read(place).sameElements(page))
      }
      store.close()
      assert(files.isEmpty)
      assert(context.taskMetrics.memoryBytesSpilled === 40 * 300)
    } === 0)
  }
}

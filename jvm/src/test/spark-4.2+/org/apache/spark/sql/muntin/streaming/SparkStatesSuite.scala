package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}

import scala.util.Random

import io.muntin.Muntin
import org.apache.spark.sql.{AnalysisException, Encoders, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode, Trigger}

/**
 * Checkpoints of windows beside Spark's stateful operators: a query continues after `repartition`,
 * `restore` and `change` with the results of an undisturbed query.
 */
final class SparkStatesSuite extends StreamSession {
  import SparkStatesSuite._
  import StreamSession.Readings

  override protected def settings: Map[String, String] =
    super.settings ++ Map("spark.sql.shuffle.partitions" -> "2")

  private val parts: Seq[Seq[Row]] = {
    val random = new Random(3L)
    Seq.tabulate(120) { i =>
      val second = i / 3L + (if (i > 70) 40L else 0L)
      // Some rows are equal to an earlier row, but for their number.
      Row(s"k${random.nextInt(4)}", at(second - second % 3L), i, random.nextInt(5) / 4.0)
    }.grouped(40).toSeq
  }

  private def over(rows: DataFrame, functions: String*): DataFrame = {
    rows.createOrReplaceTempView("spark_states")
    spark.sql(s"SELECT *, ${functions.mkString(", ")} FROM spark_states")
  }

  private val recent = "sum(d) OVER (PARTITION BY k ORDER BY t, i ROWS 5 PRECEDING) AS s"
  private val most = "max(d) OVER (PARTITION BY k ORDER BY t, i ROWS 3 PRECEDING) AS most"

  private def marked(rows: DataFrame): DataFrame = rows.withWatermark("t", "3 seconds")

  /** The queries: `functions` of OVER beside an operator of Spark. */
  private val queries: Seq[(String, (DataFrame, Seq[String]) => DataFrame)] = Seq(
    ("dropDuplicates below", (rows, f) => over(marked(rows).dropDuplicates("k", "t"), f: _*)),
    ("dropDuplicates above", (rows, f) => over(marked(rows), f: _*).dropDuplicates("k", "t", "s")),
    (
      "dropDuplicatesWithinWatermark",
      (rows, f) => over(marked(rows).dropDuplicatesWithinWatermark("k", "d"), f: _*)
    ),
    (
      "an aggregation above",
      (rows, f) =>
        over(marked(rows), f: _*).groupBy(window(col("t"), "10 seconds"), col("k"))
          .agg(count("*"), sum("s"), max("i"))
    ),
    (
      "an aggregation below",
      (rows, f) => {
        val sums = marked(rows).groupBy(window(col("t"), "6 seconds").as("w"), col("k"))
          .agg(sum("d").as("d"), max("i").as("i"))
        over(sums.selectExpr("k", "window_time(w) AS t", "i", "d"), f: _*)
      }
    ),
    (
      "session windows of Spark below",
      (rows, f) => {
        val sums = marked(rows).groupBy(session_window(col("t"), "5 seconds").as("w"), col("k"))
          .agg(sum("d").as("d"), max("i").as("i"))
        over(sums.selectExpr("k", "window_time(w) AS t", "i", "d"), f: _*)
      }
    ),
    (
      "a join below",
      (rows, f) => {
        val right = marked(rows).selectExpr("k AS k2", "t AS t2", "i AS i2").where("i % 4 = 1")
        val both =
          marked(rows).join(right, expr("k = k2 AND t2 BETWEEN t AND t + INTERVAL 4 SECONDS"))
        over(both.selectExpr("k", "t", "i * 1000 + i2 AS i", "d"), f: _*)
      }
    ),
    (
      "flatMapGroupsWithState above",
      (rows, f) => {
        val sums = over(marked(rows), f: _*).selectExpr("k", "coalesce(s, 0D) AS s")
          .as[(String, Double)](Encoders.product)
        sums.groupByKey(_._1)(Encoders.STRING)
          .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout())(Totals)(
            Encoders.scalaDouble,
            Encoders.product
          ).toDF("key", "total").asInstanceOf[DataFrame]
      }
    )
  )

  private final class Started(query: DataFrame => DataFrame) {
    private val source = new Source(Readings)

    def rows: DataFrame = source.rows

    def add(rows: Seq[Row]): Unit = source.add(rows)

    def run(checkpoint: Path): Seq[Row] = runOf(checkpoint)(query)

    def runOf(checkpoint: Path)(query: DataFrame => DataFrame): Seq[Row] = {
      val found = new Answers(checkpoint)
      found.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
      found.next()
    }
  }

  /** Returns the files. Spark 4.2 creates and deletes others when it reads its state. */
  private def stored(checkpoint: Path): Map[String, (Long, String)] =
    files(checkpoint).filter { case (file, _) => Files.isRegularFile(Path.of(file)) }

  /** Returns the results of the parts; before each part but the first, `next` has the checkpoint. */
  private def results(query: DataFrame => DataFrame)(next: Path => Path): Seq[Seq[Row]] = {
    val started = new Started(query)
    var checkpoint = temporary()
    parts.zipWithIndex.map { case (rows, i) =>
      if (i > 0) {
        val before = stored(checkpoint)
        val copy = next(checkpoint)
        assert(stored(checkpoint) === before)
        checkpoint = copy
      }
      started.add(rows)
      started.run(checkpoint)
    }
  }

  /**
   * Runs the query with the first part, and with the second part. Returns the checkpoint, the
   * results of the first part and the number of its last micro-batch.
   */
  private def started(query: DataFrame => DataFrame): (Path, Seq[Row], Long) = {
    val started = new Started(query)
    val checkpoint = temporary()
    started.add(parts.head)
    val first = started.run(checkpoint)
    val back = committed(checkpoint)
    started.add(parts(1))
    started.run(checkpoint): Unit
    (checkpoint, first, back)
  }

  for {
    (name, query) <- queries
    format <- Seq("1", "2")
  } sampledTest(s"$name, format $format of the store: other partitions, and copies", most = 16) {
    withConf("spark.sql.streaming.stateStore.checkpointFormatVersion" -> format) {
      val of = query(_: DataFrame, Seq(recent))
      val undisturbed = results(of)(identity).map(shown)
      assert(undisturbed.exists(_.nonEmpty))
      val partitions = Iterator(5, 1)
      val moved = results(of) { checkpoint =>
        val to = temporary().resolve("copy").toString
        val rows =
          Muntin.repartition(spark, checkpoint.toString, partitions.next(), to).collect().toSeq
        assert(rows.nonEmpty)
        Path.of(to)
      }
      assert(moved.map(shown) === undisturbed)
      val restored = results(of) { checkpoint =>
        val to = temporary().resolve("copy").toString
        Muntin.restore(spark, checkpoint.toString, to).collect(): Unit
        Path.of(to)
      }
      assert(restored.map(shown) === undisturbed)
    }
  }

  // The results of these operators depend on the micro-batches.
  private def dependsOnBatches(name: String) =
    name.contains("flatMap") || name == "dropDuplicatesWithinWatermark"

  for ((name, query) <- queries if !dependsOnBatches(name))
    sampledTest(s"$name: goes back to an earlier micro-batch", most = 6) {
      val of = query(_: DataFrame, Seq(recent))
      val (checkpoint, first, back) = started(of)
      val to = temporary().resolve("copy")
      Muntin.restore(spark, checkpoint.toString, to.toString, back).collect(): Unit
      // Sources do not go back.
      val again = new Started(of)
      parts.foreach(again.add)
      val later = again.run(to)
      assert(shown(first ++ later) === shown(results(of)(identity).flatten))
    }

  for ((name, query) <- queries if !name.contains("flatMap"))
    sampledTest(s"$name: a function is added", most = 6) {
      val (before, after) =
        (query(_: DataFrame, Seq(recent)), query(_: DataFrame, Seq(recent, most)))
      val started = new Started(before)
      val checkpoint = temporary()
      started.add(parts.head)
      val first = started.run(checkpoint)
      val to = temporary().resolve("copy")
      val changes =
        Muntin.change(after(started.rows), checkpoint.toString, to.toString).collect().toSeq
      assert(changes.map(_.getAs[String]("action")).distinct === Seq("continues"))
      started.add(parts(1))
      val second = started.runOf(to)(after)
      started.add(parts(2))
      val third = started.runOf(to)(after)
      val whole = results(after)(identity)
      assert(first.size === whole.head.size)
      assert(Seq(second, third).map(shown) === whole.tail.map(shown))
    }

  test("a change of Spark's operators is rejected") {
    def only(columns: String*)(rows: DataFrame) =
      over(marked(rows).dropDuplicates(columns), recent)
    val started = new Started(only("k", "t"))
    val checkpoint = temporary()
    started.add(parts.head)
    started.run(checkpoint): Unit
    def changed(query: DataFrame => DataFrame) =
      intercept[Exception] {
        val to = temporary().resolve("copy")
        try Muntin.change(query(started.rows), checkpoint.toString, to.toString)
        finally { val _ = assert(!to.toFile.exists) }
      }
    assertCondition(changed(only("k", "t", "d")), "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE")
    val error = changed(rows => over(marked(rows), recent))
    assert(error.isInstanceOf[AnalysisException])
    assertCondition(
      error,
      "MUNTIN_CHANGE_OF_STATEFUL_OPERATORS",
      "stored" -> "[1 dedupe]",
      "current" -> "[]"
    )
  }

  test("a window does not continue on the other side of an operator of Spark") {
    def one(rows: DataFrame) = over(rows, recent)
    def two(rows: DataFrame) = over(rows, most)
    val started = new Started(rows => two(one(marked(rows)).dropDuplicates("k", "t", "i")))
    val checkpoint = temporary()
    started.add(parts.head)
    started.run(checkpoint): Unit
    // The window of the sums was below dropDuplicates.
    val moved = one(marked(started.rows).dropDuplicates("k", "t", "i"))
    val changes = Muntin.compare(moved, checkpoint.toString).collect().toSeq
    val actions = changes.map(r => r.getAs[String]("function") -> r.getAs[String]("action"))
    assert(actions.collect { case (f, "continues") => f } === Nil, actions)
    assert(actions.size === 3, actions)
  }

  test("damaged state of an operator of Spark: a copy as of the micro-batch before") {
    val (checkpoint, first, back) =
      started(rows => over(marked(rows).dropDuplicates("k", "t"), recent))
    Files.delete(last(checkpoint.resolve("state/1/0"), "changelog"))
    val to = temporary().resolve("copy")
    val rows = Muntin.restore(spark, checkpoint.toString, to.toString).collect()
    assert(rows.head.getAs[Long]("batch_id") >= back)
    assert(rows.head.getAs[String]("problem").startsWith("operator 1: "))
    assert(first.nonEmpty)
  }
}

object SparkStatesSuite {

  /** Emits the sum of all values of a key so far. */
  private val Totals
      : (String, Iterator[(String, Double)], GroupState[Double]) => Iterator[(String, Double)] =
    (key, rows, state) => {
      val total = state.getOption.getOrElse(0d) + rows.map(_._2).sum
      state.update(total)
      Iterator(key -> total)
    }
}

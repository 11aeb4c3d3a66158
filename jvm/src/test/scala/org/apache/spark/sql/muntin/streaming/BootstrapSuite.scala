package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}

import io.muntin.Muntin
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.streaming.Trigger

/**
 * Streams that begin with the rows of a table: the results of the table and of the stream together
 * are the results of one stream over all rows.
 */
final class BootstrapSuite extends StreamSession {
  import StreamSession.Readings
  import StreamsOfEveryKind.{all, parts, schema, Kind}

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2"
    )

  private def run(
      kind: Kind,
      checkpoint: Path,
      source: Source,
      isLast: Boolean
  ): Seq[Row] = {
    val answers = new Answers(checkpoint, kind.outputMode)
    withConf(MuntinConf.StreamDrain.key -> isLast.toString) {
      answers.start(kind.query(source.rows), Trigger.AvailableNow()).awaitTermination()
    }
    answers.next()
  }

  /** Returns the results of the first part, as a micro-batch or as a table, and of the others. */
  private def results(kind: Kind, isTable: Boolean): (Seq[Row], Seq[Row]) =
    withConf(kind.settings.toSeq: _*) {
      val source = new Source(schema)
      val checkpoint = temporary().resolve("checkpoint")
      val first =
        if (isTable) {
          Muntin.bootstrap(kind.query(source.rows), table(schema, parts.head), checkpoint.toString)
            .collect().toSeq
        } else {
          source.add(parts.head)
          run(kind, checkpoint, source, isLast = false)
        }
      val later = parts.tail.zipWithIndex.flatMap { case (rows, i) =>
        source.add(rows)
        run(kind, checkpoint, source, isLast = i == parts.size - 2)
      }
      (first, later)
    }

  private val ofAppend = all.filter(_.outputMode == "append")

  for (kind <- ofAppend) sampledTest(s"${kind.name}: begins with a table", most = 10) {
    val (first, later) = results(kind, isTable = true)
    val (wantedFirst, wantedLater) = results(kind, isTable = false)
    assert(shown(first ++ later) === shown(wantedFirst ++ wantedLater))
    assert(shown(first) === shown(wantedFirst))
  }

  for (kind <- ofAppend) sampledTest(s"${kind.name}: continues after another query", most = 10) {
    val (wantedFirst, wantedLater) = results(kind, isTable = false)
    withConf(kind.settings.toSeq: _*) {
      val source = new Source(schema)
      val before = temporary().resolve("before")
      source.add(parts.head)
      run(kind, before, source, isLast = false): Unit
      val old = files(before)
      val checkpoint = temporary().resolve("checkpoint")
      val first = Muntin.bootstrap(
        kind.query(source.rows),
        Seq(table(schema, parts.head)),
        checkpoint.toString,
        before.toString
      ).collect().toSeq
      assert(files(before) === old)
      assert(shown(first) === shown(wantedFirst))
      val later = parts.tail.zipWithIndex.flatMap { case (rows, i) =>
        source.add(rows)
        run(kind, checkpoint, source, isLast = i == parts.size - 2)
      }
      assert(shown(later) === shown(wantedLater))
    }
  }

  test("a query with windows continues after a query of Spark, with its numbers of micro-batches") {
    val rows = Seq.tabulate(60)(i => reading(s"k${i % 3}", i.toLong, i))
    val source = new Source(Readings)
    val before = temporary().resolve("before")
    for (part <- rows.take(40).grouped(10)) {
      source.add(part)
      val plain = new Answers(before)
      plain.start(
        source.rows.withWatermark("t", "10 seconds").dropDuplicates("k", "t"),
        Trigger.AvailableNow()
      ).awaitTermination()
    }
    def committed(folder: Path): Set[Int] =
      Files.list(folder.resolve("commits")).toArray.map(_.toString.split("/").last)
        .filterNot(_.startsWith(".")).map(_.toInt).toSet
    val last = committed(before).max
    val past = table(Readings, rows.take(40))
    val checkpoint = temporary().resolve("checkpoint")
    val first = Muntin.bootstrap(
      lastThree(source.rows),
      Seq(past),
      checkpoint.toString,
      before.toString
    ).collect().toSeq
    assert(committed(checkpoint).max === last)
    assert(first.size === 29)
    source.add(rows.drop(40))
    val answers = new Answers(checkpoint)
    withConf(MuntinConf.StreamDrain.key -> "true") {
      answers.start(lastThree(source.rows), Trigger.AvailableNow()).awaitTermination()
    }
    assert(committed(checkpoint).max > last)
    assert(shown(first ++ answers.next()) ===
      shown(lastThree(table(Readings, rows)).collect().toSeq))
  }

  test("a checkpoint of a query with another number of sources, or of a running query") {
    val source = new Source(Readings)
    val before = temporary().resolve("before")
    source.add(Seq(reading("a", 1L, 1)))
    val running = new Answers(before).start(lastThree(source.rows), Trigger.ProcessingTime(0L))
    def failure(query: DataFrame, histories: Int) = intercept[MuntinAnalysisException] {
      Muntin.bootstrap(
        query,
        Seq.fill(histories)(table(Readings, Nil)),
        temporary().resolve("checkpoint").toString,
        before.toString
      )
    }
    try {
      running.processAllAvailable()
      assertCondition(
        failure(lastThree(source.rows), 1),
        "MUNTIN_CHECKPOINT_IN_USE",
        "command" -> "bootstrap",
        "checkpoint" -> before.toString
      )
    } finally running.stop()
    val union = new Source(Readings).rows.union(source.rows)
    assertCondition(
      failure(lastThree(union), 2),
      "MUNTIN_CHANGE_OF_SOURCES",
      "checkpoint" -> before.toString,
      "stored" -> "1",
      "current" -> "2"
    )
  }

  private def reading(key: String, second: Long, i: Int): Row = Row(key, at(second), i, i.toDouble)

  private def lastThree(df: DataFrame): DataFrame = asked(
    "SELECT k, i, sum(i) OVER (PARTITION BY k ORDER BY t ROWS 2 PRECEDING) AS s FROM t"
  )(df.withWatermark("t", "10 seconds"))

  test("rows in any order: rows below the watermark are final, the others wait for the stream") {
    val source = new Source(Readings)
    val checkpoint = temporary().resolve("checkpoint")
    val past = Seq(("a", 30L, 3), ("b", 5L, 9), ("a", 1L, 1), ("a", 25L, 4), ("b", 8L, 5))
      .map { case (k, t, i) => reading(k, t, i) }
    val made =
      Muntin.bootstrap(lastThree(source.rows), table(Readings, past), checkpoint.toString)
    assert(shown(made.collect().toSeq) === Seq("[a, 1, 1]", "[b, 5, 14]", "[b, 9, 9]"))
    // The watermark is at 20: the first row is late, as in a stream.
    source.add(Seq(reading("a", 19L, 100), reading("a", 20L, 2), reading("a", 27L, 7)))
    source.add(Seq(reading("z", 1000L, 0)))
    val answers = new Answers(checkpoint)
    answers.start(lastThree(source.rows), Trigger.AvailableNow()).awaitTermination()
    assert(shown(answers.next()) ===
      Seq("[a, 2, 3]", "[a, 3, 14]", "[a, 4, 7]", "[a, 7, 13]"))
    assert(Muntin.pending(lastThree(source.rows), checkpoint.toString).count() === 1L)
  }

  test("one query over two filters of a source, and the store's format 2") {
    withConf("spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2") {
      val source = new Source(Readings)
      val rows = Seq.tabulate(40)(i => reading(s"k${i % 3}", i * 3L, i))
      def query(df: DataFrame): DataFrame = {
        val marked = df.withWatermark("t", "5 seconds")
        marked.where("i % 2 = 0").createOrReplaceTempView("l")
        marked.where("i % 2 = 1").createOrReplaceTempView("r")
        spark.sql("SELECT l.i, r.i AS j FROM l LEFT JOIN r ON l.k = r.k AND " +
          "asof(l.t, r.t, tolerance => '9 seconds')")
      }
      val checkpoint = temporary().resolve("checkpoint")
      val (past, later) = rows.splitAt(25)
      val first = Muntin.bootstrap(query(source.rows), table(Readings, past), checkpoint.toString)
        .collect().toSeq
      source.add(later)
      val answers = new Answers(checkpoint)
      withConf(MuntinConf.StreamDrain.key -> "true") {
        answers.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
      }
      assert(first.nonEmpty)
      assert(shown(first ++ answers.next()) ===
        shown(query(table(Readings, rows)).collect().toSeq))
    }
  }

  test("a history without rows, and without a watermark") {
    withConf(MuntinConf.StreamOrder.key -> "group") {
      val source = new Source(Readings)
      def query(df: DataFrame): DataFrame = asked(
        "SELECT k, i, sum(i) OVER (PARTITION BY k ORDER BY t ROWS 2 PRECEDING) AS s FROM t"
      )(df)
      for ((past, wanted) <- Seq(Nil -> "[a, 4, 4]", Seq(reading("a", 1L, 2)) -> "[a, 4, 6]")) {
        val checkpoint = temporary().resolve("checkpoint")
        val first =
          Muntin.bootstrap(query(source.rows), table(Readings, past), checkpoint.toString)
        assert(first.count() === past.size)
        val own = new Source(Readings)
        own.add(Seq(reading("a", 9L, 4)))
        val answers = new Answers(checkpoint)
        answers.start(query(own.rows), Trigger.AvailableNow()).awaitTermination()
        assert(shown(answers.next()) === Seq(wanted))
      }
    }
  }

  test("two sources with equal columns are two sources") {
    val (one, other) = (new Source(Readings), new Source(Readings))
    val query =
      asked("SELECT k, sum(i) OVER (PARTITION BY k ORDER BY t ROWS 2 PRECEDING) AS s FROM t")(
        one.rows.union(other.rows).withWatermark("t", "10 seconds")
      )
    def failure(histories: Int) = intercept[MuntinAnalysisException] {
      val checkpoint = temporary().resolve("checkpoint").toString
      val past = table(Readings, Seq(reading("a", 1L, 1)))
      Muntin.bootstrap(query, Seq.fill(histories)(past), checkpoint)
    }
    for (histories <- Seq(1, 3))
      assertCondition(
        failure(histories),
        "MUNTIN_BOOTSTRAP_HISTORIES",
        "sources" -> "2",
        "histories" -> histories.toString
      )
  }

  /** A query over two sources, the history of each, and what follows. */
  private def checkTwo(query: (DataFrame, DataFrame) => DataFrame): Unit = {
    val rows = Seq.tabulate(80)(i => reading(s"k${i % 3}", i * 2L, i))
    val (left, right) = rows.partition(_.getInt(2) % 5 < 3)
    def marked(df: DataFrame): DataFrame = df.withWatermark("t", "5 seconds")
    val (l, r) = (new Source(Readings), new Source(Readings))
    val checkpoint = temporary().resolve("checkpoint")
    val (pastLeft, pastRight) = (left.take(25), right.take(20))
    val first = Muntin.bootstrap(
      query(marked(l.rows), marked(r.rows)),
      Seq(table(Readings, pastLeft), table(Readings, pastRight)),
      checkpoint.toString
    ).collect().toSeq
    l.add(left.drop(25))
    r.add(right.drop(20))
    val answers = new Answers(checkpoint)
    withConf(MuntinConf.StreamDrain.key -> "true") {
      answers.start(query(marked(l.rows), marked(r.rows)), Trigger.AvailableNow())
        .awaitTermination()
    }
    assert(first.nonEmpty)
    assert(shown(first ++ answers.next()) ===
      shown(query(table(Readings, left), table(Readings, right)).collect().toSeq))
    ()
  }

  test("an as-of join of two sources, each with its history") {
    checkTwo { (l, r) =>
      l.createOrReplaceTempView("l")
      r.createOrReplaceTempView("r")
      spark.sql("SELECT l.i, r.i AS j FROM l LEFT JOIN r ON l.k = r.k AND " +
        "asof(l.t, r.t, tolerance => '9 seconds')")
    }
  }

  test("a union of two sources, each with its history") {
    checkTwo { (l, r) =>
      asked("SELECT k, i, sum(i) OVER (PARTITION BY k ORDER BY t, i ROWS 4 PRECEDING) AS s FROM t")(
        l.union(r)
      )
    }
  }

  test("a source that is read twice is one source") {
    val source = new Source(Readings)
    def query(rows: DataFrame): DataFrame = asked(
      "SELECT k, i, sum(i) OVER (PARTITION BY k ORDER BY t ROWS 2 PRECEDING) AS s FROM t"
    )(rows.union(rows).withWatermark("t", "0 seconds"))
    val past = table(Readings, Seq(reading("a", 1L, 1), reading("a", 2L, 2), reading("b", 3L, 4)))
    val checkpoint = temporary().resolve("checkpoint")
    val first = Muntin.bootstrap(query(source.rows), past, checkpoint.toString).collect().toSeq
    val next = Seq(reading("a", 5L, 8), reading("b", 6L, 0))
    source.add(next)
    val answers = new Answers(checkpoint)
    withConf(MuntinConf.StreamDrain.key -> "true") {
      answers.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
    }
    assert(shown(first ++ answers.next()) ===
      shown(query(past.union(table(Readings, next))).collect().toSeq))
  }

  test("nothing is left of a bootstrap that fails") {
    val source = new Source(Readings)
    val checkpoint = temporary().resolve("checkpoint")
    val past = table(Readings, Seq(reading("a", 1L, 1)))
      .selectExpr("k", "t", "i", "double(raise_error('no')) AS d")
    intercept[Exception] {
      Muntin.bootstrap(
        asked("SELECT k, sum(d) OVER (PARTITION BY k ORDER BY t ROWS 2 PRECEDING) AS s FROM t")(
          source.rows.withWatermark("t", "10 seconds")
        ),
        past,
        checkpoint.toString
      )
    }
    assert(!Files.exists(checkpoint))
  }
}

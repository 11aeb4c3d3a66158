package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.streaming.OneTimeTrigger
import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider
import org.apache.spark.sql.muntin.Warnings
import org.apache.spark.sql.muntin.spark.StateOfPartition
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}

/** The state store of a query, if the session names none, or another store. */
final class StreamProviderSuite extends StreamSession {
  import StreamSession.Readings

  private val key = "spark.sql.streaming.stateStore.providerClass"

  private val log = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"

  override protected def settings: Map[String, String] = super.settings - key - log

  private val over = "SELECT i, sum(d) OVER (PARTITION BY k ORDER BY t) AS s FROM t"
  private val sparks = "SELECT window, count(*) FROM t GROUP BY window(t, '10 seconds')"

  private def run(sql: String, checkpoint: Path, restarts: Set[Int] = Set.empty): Seq[Row] = {
    val batches = Seq(1L, 2L, 100L, 200L).map(s => Seq(Row("k", at(s), s.toInt, 1.0)))
    streamed(Readings, batches, restarts, checkpoint = checkpoint) { df =>
      asked(sql)(df.withWatermark("t", "1 second"))
    }.flatten
  }

  /** Returns the state store in a checkpoint. */
  private def provider(checkpoint: Path): String = {
    val offsets = Files.list(checkpoint.resolve("offsets")).iterator.asScala
      .filter(_.getFileName.toString.matches("\\d+")).toSeq
    val text = Files.readString(offsets.head)
    (s""""$key":"([^"]*)"""").r.findFirstMatchIn(text).fold("")(_.group(1).split('.').last)
  }

  private def warnings(body: => Any): Seq[String] = Warnings.of(classOf[StreamProvider])(body)

  test("a query with windows gets the provider that it requires, with a warning") {
    val (ours, others) = (temporary(), temporary())
    val said = warnings {
      // The second start resumes from the checkpoint.
      assert(run(over, ours, restarts = Set(2)).map(_.getInt(0)) === Seq(1, 2, 100))
    }
    assert(!spark.sessionState.conf.contains(key))
    assert(provider(ours) === "RocksDBStateStoreProvider")
    assert(said.nonEmpty)
    val setting = "[MUNTIN_STATE_STORE_SET]"
    Seq(setting, key, StateOfPartition.Provider, "HDFSBackedStateStoreProvider").foreach(part =>
      assert(said.head.contains(part), said.head)
    )
    assert(warnings(run(sparks, others)).isEmpty)
    assert(provider(others) === "HDFSBackedStateStoreProvider")
    assert(spark.streams.listListeners().count(_.isInstanceOf[StreamProvider]) === 1)
  }

  /**
   * Returns the files that a query over three rows writes for its first partition, and its count of
   * rows.
   */
  private def written(sql: String): (Set[String], Seq[Long]) = {
    val checkpoint = temporary()
    val source = new Source(Readings)
    source.add(Seq(1L, 2L, 100L).map(s => Row("k", at(s), s.toInt, 1.0)))
    val query = new Answers(checkpoint).start(
      asked(sql)(source.rows.withWatermark("t", "1 second")),
      Trigger.AvailableNow()
    )
    query.awaitTermination()
    val files = (0 until spark.sessionState.conf.numShufflePartitions).flatMap { partition =>
      Files.list(checkpoint.resolve(s"state/0/$partition")).iterator.asScala
        .map(_.getFileName.toString)
    }
    val kinds = files.filter(_.matches("\\d+[._].*")).map(_.split('.').last)
    (kinds.toSet, query.lastProgress.stateOperators.toSeq.map(_.numRowsTotal))
  }

  test("its state is written as a log of changes, and its rows are counted without reads") {
    spark.conf.set(key, StateOfPartition.Provider)
    try {
      val (own, groups) = written(over)
      assert(own.contains("changelog") && groups == Seq(1L), own)
      // Spark counts the rows of its own operators, also in a query with both kinds.
      val counted = "SELECT count(*) AS n, window FROM t GROUP BY window(t, '10 seconds')"
      val both = "SELECT n, sum(n) OVER (PARTITION BY n ORDER BY at) AS s " +
        s"FROM (SELECT n, window_time(window) AS at FROM ($counted))"
      val (files, rows) = written(both)
      assert(files.contains("changelog") && rows.size == 2 && rows.forall(_ > 0L), rows)
      // Spark 4.1 writes a checksum next to each file.
      withConf(log -> "false")(assert(written(over)._1 - "crc" === Set("zip")))
    } finally spark.conf.unset(key)
    assert(!spark.sessionState.conf.contains(log))
  }

  test("a store that the session names stays, also Spark's default") {
    val named = classOf[HDFSBackedStateStoreProvider].getName
    withConf(key -> named) {
      val error = intercept[StreamingQueryException](run(over, temporary()))
      assertCondition(
        error,
        "MUNTIN_UNSUPPORTED_STATE_STORE",
        "provider" -> named,
        "setting" -> key,
        "required" -> StateOfPartition.Provider
      )
      assert(spark.conf.get(key) === named)
    }
    withConf(key -> StateOfPartition.Provider) {
      assert(warnings(run(over, temporary())).isEmpty)
    }
  }

  test(
    "a query that runs one micro-batch emits its results at the next start, with a warning"
  ) {
    // withConf has restored Spark's default.
    spark.conf.unset(key)
    val source = new Source(Readings)
    val answers = new Answers
    def once(): (Seq[String], Seq[Int]) = {
      val said = warnings {
        answers.start(asked(over)(source.rows.withWatermark("t", "1 second")), OneTimeTrigger)
          .awaitTermination()
      }
      (said.filter(_.contains("[MUNTIN_SINGLE_MICRO_BATCH]")), answers.next().map(_.getInt(0)))
    }
    source.add(Seq(1L, 2L, 100L).map(s => Row("k", at(s), s.toInt, 1.0)))
    val (first, none) = once()
    assert(first.size === 1 && none === Nil)
    source.add(Seq(Row("k", at(101L), 101, 1.0)))
    assert(once()._2 === Seq(1, 2))
    val now = warnings {
      val query = asked(over)(source.rows.withWatermark("t", "1 second"))
      new Answers().start(query, Trigger.AvailableNow()).awaitTermination()
    }
    assert(!now.exists(_.contains("[MUNTIN_SINGLE_MICRO_BATCH]")))
  }

  test(
    "two watermarks: a quiet stream holds all back, with a warning; and one above the union"
  ) {
    spark.conf.unset(key)
    def run(query: (DataFrame, DataFrame) => DataFrame): (Seq[String], Seq[Int]) = {
      val (busy, quiet) = (new Source(Readings), new Source(Readings))
      val answers = new Answers
      val said = warnings {
        val running = answers.start(asked(over)(query(busy.rows, quiet.rows)))
        try
          Seq(1L, 2L, 100L).foreach { t =>
            busy.add(Seq(Row("k", at(t), t.toInt, 1.0)))
            running.processAllAvailable()
          }
        finally running.stop()
      }
      (said.filter(_.contains("[MUNTIN_SEVERAL_WATERMARKS]")), answers.next().map(_.getInt(0)))
    }
    def marked(rows: DataFrame): DataFrame = rows.withWatermark("t", "1 second")
    val (twice, none) = run((a, b) => marked(a).union(marked(b)))
    assert(twice.size === 1 && twice.head.contains("2 watermarks") && none === Nil)
    val (once, out) = run((a, b) => marked(a.union(b)))
    assert(once === Nil && out === Seq(1, 2))
    withConf("spark.sql.streaming.multipleWatermarkPolicy" -> "max") {
      val (fastest, out) = run((a, b) => marked(a).union(marked(b)))
      assert(fastest === Nil && out === Seq(1, 2))
    }
  }
}

package org.apache.spark.sql.muntin.streaming

import java.nio.file.{Files, Path, StandardCopyOption}

import scala.collection.mutable

import io.muntin.Muntin
import org.apache.spark.sql.{AnalysisException, Dataset, Row}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

/** Damaged checkpoints: the errors, and copies as of the last micro-batch that is whole. */
final class RestoreSuite extends StreamSession with Eventually {
  import StreamsOfEveryKind.{all, parts, schema, Kind}

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2"
    )

  /** A query whose results are known by micro-batch. */
  private final class Started(kind: Kind) {
    private val source = new Source(schema)
    val byBatch = mutable.TreeMap.empty[Long, Seq[Row]]

    /** Adds all parts of the rows. */
    def addAll(): this.type = {
      parts.foreach(source.add)
      this
    }

    def run(checkpoint: Path, rows: Seq[Row], isLast: Boolean = false): Unit = {
      if (rows.nonEmpty) source.add(rows)
      val drains = isLast && kind.outputMode != "update"
      withConf(MuntinConf.StreamDrain.key -> drains.toString) {
        kind.query(source.rows).writeStream
          .trigger(Trigger.AvailableNow())
          .option("checkpointLocation", checkpoint.toString)
          .outputMode(kind.outputMode)
          .foreachBatch { (rows: Dataset[Row], id: Long) =>
            val found = rows.collect().toSeq
            byBatch.synchronized(byBatch(id) = found)
          }
          .start().awaitTermination()
      }
    }

    /** The results of micro-batches up to this one. */
    def until(batch: Long): Seq[Row] = byBatch.rangeTo(batch).values.flatten.toSeq
  }

  private def kind(name: String): Kind = all.find(_.name == name).get

  private def truncate(file: Path): Unit =
    Files.write(file, Files.readAllBytes(file).take(Files.size(file).toInt / 2)): Unit

  private def overwrite(file: Path): Unit = Files.write(file, "not a state".getBytes): Unit

  private def restored(checkpoint: Path, batch: Option[Long] = None): (Path, Seq[Row]) = {
    val to = temporary().resolve("copy")
    // Tasks of a failed query may still write their state, also if no task is reported as running.
    val before = eventually(timeout(Span(60, Seconds))) {
      assert(spark.sparkContext.statusTracker.getExecutorInfos.forall(_.numRunningTasks == 0))
      val found = files(checkpoint)
      Thread.sleep(500L)
      assert(files(checkpoint) === found)
      found
    }
    val rows = batch.fold(Muntin.restore(spark, checkpoint.toString, to.toString)) {
      Muntin.restore(spark, checkpoint.toString, to.toString, _)
    }.collect().toSeq
    assert(files(checkpoint) === before)
    (to, rows)
  }

  /** Returns the results of the query if nothing happens to its checkpoint. */
  private def undisturbed(kind: Kind): Seq[String] = {
    val whole = new Started(kind)
    val checkpoint = temporary()
    parts.zipWithIndex.foreach { case (rows, i) =>
      whole.run(checkpoint, rows, isLast = i == parts.size - 1)
    }
    shown(whole.byBatch.values.flatten.toSeq)
  }

  private lazy val undisturbedRows = undisturbed(kind("OVER ROWS"))

  /** Goes back to an earlier micro-batch: later results are emitted again, with new numbers. */
  private def checkBack(kind: Kind): Unit = withConf(kind.settings.toSeq: _*) {
    val expected = undisturbed(kind)
    val started = new Started(kind)
    val checkpoint = temporary()
    started.run(checkpoint, parts.head)
    val back = committed(checkpoint)
    started.run(checkpoint, parts(1))
    val numbers = numbered(checkpoint.resolve("offsets"), "").keySet
    val (copy, rows) = restored(checkpoint, Some(back))
    assert(rows.nonEmpty && rows.forall(_.getAs[Long]("batch_id") == back))
    val resumed = new Started(kind).addAll()
    resumed.run(copy, Nil, isLast = true)
    assert(resumed.byBatch.keys.forall(!numbers(_)), "the number of another micro-batch")
    assert(shown(started.until(back) ++ resumed.byBatch.values.flatten) === expected)
    ()
  }

  for (kind <- all if kind.outputMode == "append")
    sampledTest(s"${kind.name}: goes back, and continues", most = 12)(checkBack(kind))

  /** How to damage a checkpoint, and whether the query's own error shows it. */
  private val damages: Seq[(String, Path => Unit, Option[String])] = {
    val (unreadable, foreign) =
      (Some("MUNTIN_STATE_UNREADABLE"), Some("MUNTIN_STATE_OF_OTHER_PARTITION"))
    def state(checkpoint: Path): Path = checkpoint.resolve("state/0/1")
    Seq(
      ("a missing log of changes", c => Files.delete(last(state(c), "changelog")), unreadable),
      ("a truncated log of changes", c => truncate(last(state(c), "changelog")), unreadable),
      (
        "an empty log of changes",
        c => Files.write(last(state(c), "changelog"), Array.emptyByteArray): Unit,
        unreadable
      ),
      ("another file", c => overwrite(last(state(c), "changelog")), unreadable),
      (
        "the file of another partition",
        c => {
          val own = last(state(c), "changelog").getFileName.toString
          // Spark 4.1 writes a checksum next to each file.
          Files.list(c.resolve("state/0/0")).filter(_.getFileName.toString.contains(own))
            .forEach { file =>
              val to = state(c).resolve(file.getFileName)
              Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING): Unit
            }
        },
        foreign
      ),
      ("a missing file of offsets", c => Files.delete(last(c.resolve("offsets"))), None),
      ("a truncated file of offsets", c => truncate(last(c.resolve("offsets"))), None),
      ("a truncated commit", c => truncate(last(c.resolve("commits"))), None)
    )
  }

  for ((name, damage, condition) <- damages)
    sampledTest(s"$name: the error, and a copy as of the micro-batch before", most = 4) {
      val over = kind("OVER ROWS")
      val started = new Started(over)
      val checkpoint = temporary()
      started.run(checkpoint, parts.head)
      started.run(checkpoint, parts(1))
      val end = committed(checkpoint)
      damage(checkpoint)
      condition.foreach { condition =>
        val failure = intercept[StreamingQueryException] {
          started.run(checkpoint, parts(2), isLast = true)
        }
        val shown = parametersOf(failure, condition)
        assert(shown("operator") === "0")
        assert(shown("partition") === "1")
        if (condition == "MUNTIN_STATE_UNREADABLE") assert(shown("batch") === end.toString)
        if (name.contains("missing")) assert(shown("files").endsWith("changelog (missing)"))
        if (name.contains("missing") || name.contains("empty")) {
          assert(shown("whole") === (end - 1L).toString)
        }
      }
      val (copy, rows) = restored(checkpoint)
      val batch = rows.head.getAs[Long]("batch_id")
      assert(batch === end - 1L)
      assert(rows.head.getAs[String]("problem") != null)
      val resumed = new Started(over).addAll()
      resumed.run(copy, Nil, isLast = true)
      assert(resumed.byBatch.keys.forall(_ > end))
      val found = started.until(batch) ++ resumed.byBatch.values.flatten
      assert(shown(found) === undisturbedRows)
    }

  test("a whole checkpoint is copied as of its last micro-batch") {
    val over = kind("OVER ROWS")
    val started = new Started(over)
    val checkpoint = temporary()
    started.run(checkpoint, parts.head)
    val (copy, rows) = restored(checkpoint)
    assert(rows.map(_.getAs[String]("problem")) === Seq(null))
    assert(committed(copy) === committed(checkpoint))
    assert(rows.head.getAs[Long]("rows") > 0L)
  }

  test("no micro-batch is whole") {
    val started = new Started(kind("OVER ROWS"))
    val checkpoint = temporary()
    started.run(checkpoint, parts.head)
    numbered(checkpoint.resolve("state/0/1"), "changelog").values.foreach(Files.delete)
    numbered(checkpoint.resolve("state/0/1"), "zip").values.foreach(Files.delete)
    val to = temporary().resolve("copy")
    def copied(batch: Option[Long]) = intercept[AnalysisException](batch match {
      case None => Muntin.restore(spark, checkpoint.toString, to.toString)
      case Some(b) => Muntin.restore(spark, checkpoint.toString, to.toString, b)
    })
    val end = committed(checkpoint)
    assertCondition(copied(None), "MUNTIN_NO_WHOLE_BATCH", "batch" -> "0")
    assertCondition(copied(Some(end)), "MUNTIN_BATCH_NOT_WHOLE", "batch" -> end.toString)
    assertCondition(copied(Some(77L)), "MUNTIN_BATCH_NOT_KEPT", "batch" -> "77")
    assert(!Files.exists(to))
  }

  test("the store's format 2") {
    withConf("spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2") {
      checkBack(kind("OVER ROWS").copy(settings =
        Map("spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2")
      ))
      val started = new Started(kind("OVER ROWS"))
      val checkpoint = temporary()
      started.run(checkpoint, parts.head)
      started.run(checkpoint, parts(1))
      val end = committed(checkpoint)
      Files.delete(last(checkpoint.resolve("state/0/1"), "changelog"))
      val failure = intercept[StreamingQueryException](started.run(checkpoint, parts(2)))
      val shown = parametersOf(failure, "MUNTIN_STATE_UNREADABLE")
      assert(shown("whole") === (end - 1L).toString)
      assert(restored(checkpoint)._2.head.getAs[Long]("batch_id") === end - 1L)
    }
  }
}

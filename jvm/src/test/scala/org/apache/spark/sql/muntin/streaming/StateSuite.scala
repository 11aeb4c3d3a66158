package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import io.muntin.Muntin
import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{count, sum}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types._

/** `state` describes each group in a checkpoint. */
final class StateSuite extends StreamSession {
  import StreamSession._

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2",
      "spark.sql.session.timeZone" -> "UTC"
    )

  /** Runs a query over rows, part by part, and returns its checkpoint. */
  private def ran(
      schema: StructType,
      parts: Seq[Seq[Row]],
      outputMode: String = "append"
  )(query: DataFrame => DataFrame): Path = {
    val (source, checkpoint) = (new Source(schema), temporary())
    val answers = new Answers(checkpoint, outputMode)
    parts.foreach { rows =>
      source.add(rows)
      answers.start(query(source.rows), Trigger.AvailableNow()).awaitTermination()
    }
    checkpoint
  }

  private def state(checkpoint: Path): DataFrame =
    Muntin.state(spark, checkpoint.toString).asInstanceOf[DataFrame]

  /** Returns the groups of each operator, their rows and their bytes. */
  private def totals(checkpoint: Path): Seq[Row] =
    state(checkpoint).groupBy("operator").agg(count("*"), sum("rows"), sum("bytes"))
      .orderBy("operator").collect().toSeq

  for (kind <- StreamsOfEveryKind.all)
    sampledTest(s"${kind.name}: all groups, rows and bytes", most = 12) {
      withConf(kind.settings.toSeq: _*) {
        val checkpoint =
          ran(StreamsOfEveryKind.schema, StreamsOfEveryKind.parts, kind.outputMode)(kind.query)
        val before = files(checkpoint)
        val found = totals(checkpoint)
        val groups = state(checkpoint).collect().toSeq
        assert(files(checkpoint) === before)
        // repartition counts what it moves.
        val to = temporary().resolve("copy")
        val moved = Muntin.repartition(spark, checkpoint.toString, 3, to.toString).collect()
          .map { r =>
            Row(
              r.getAs[Int]("operator"),
              r.getAs[Long]("groups"),
              r.getAs[Long]("rows"),
              r.getAs[Long]("bytes")
            )
          }.filter(_.getLong(1) > 0L)
        assert(found === moved.toSeq)
        groups.foreach { group =>
          val (oldest, newest) =
            (group.getAs[String]("oldest_time"), group.getAs[String]("newest_time"))
          assert((oldest == null) === (group.getAs[Long]("rows") == 0L), group)
          assert(oldest == null || oldest <= newest, group)
        }
      }
    }

  private def rolling(frame: String)(rows: DataFrame): DataFrame =
    asked(s"SELECT k, sum(d) OVER (PARTITION BY k ORDER BY t $frame) AS s FROM t")(
      rows.withWatermark("t", "10 seconds")
    )

  private def reading(k: String, second: Int): Row = Row(k, at(second.toLong), second, 1.5)

  private val day = "2024-01-01"

  test("a group has its key, the times of kept and buffered rows, and its timer") {
    val rows = (0 to 30).map(reading("a", _)) ++ Seq(reading("b", 31), reading(null, 5))
    val checkpoint = ran(Readings, Seq(rows))(rolling("ROWS 2 PRECEDING"))
    val groups = state(checkpoint)
      .selectExpr("key['k'] AS k", "window", "rows", "oldest_time", "newest_time", "next_timer")
      .collect().sortBy(r => Option(r.getString(0)).getOrElse("")).toSeq
    // The watermark is 21: 21 to 31 wait for it, and the frame holds two rows before them.
    assert(groups.map(_.toSeq.take(5)) === Seq[Seq[Any]](
      Seq(null, "OVER", 1L, s"$day 00:00:05", s"$day 00:00:05"),
      Seq("a", "OVER", 12L, s"$day 00:00:19", s"$day 00:00:30"),
      Seq("b", "OVER", 1L, s"$day 00:00:31", s"$day 00:00:31")
    ))
    // The watermark has passed a row when it is greater than the row's time.
    assert(groups.map(_.getString(5)) ===
      Seq(null, s"$day 00:00:21.000001", s"$day 00:00:31.000001"))
  }

  test("rows in pages") {
    val rows = (0 until 3000).map(reading("a", _))
    val checkpoint = ran(Readings, rows.grouped(1000).toSeq)(rolling("ROWS 1499 PRECEDING"))
    val group = state(checkpoint).collect().head
    // The watermark is 2989: 2989 to 2999 wait, and the frame of 2989 begins at 1490.
    assert(group.getAs[Long]("rows") === 1510L)
    assert(group.getAs[String]("oldest_time") === at(1490L).toInstant.toString.take(19)
      .replace('T', ' '))
  }

  test("a group whose rows are not stored has no oldest time") {
    val checkpoint = ran(Readings, Seq(Seq(reading("a", 0), reading("a", 40))))(
      rolling("ROWS UNBOUNDED PRECEDING")
    )
    val first = state(checkpoint).collect().head
    assert(first.getAs[String]("oldest_time") === s"$day 00:00:40")
    val later = ran(Readings, Seq(Seq(reading("a", 0), reading("b", 40))))(
      rolling("ROWS UNBOUNDED PRECEDING")
    )
    val silent = state(later).where("key['k'] = 'a'").collect().head
    assert(silent.getAs[String]("oldest_time") === null)
    assert(silent.getAs[String]("newest_time") === s"$day 00:00:00")
    assert(silent.getAs[String]("next_timer") === null)
    assert(silent.getAs[Long]("rows") === 0L)
  }

  test("keys of any types and names; times that are numbers") {
    val schema = StructType.fromDDL(
      "`a b` decimal(9, 2), day date, bin binary, st struct<a int, b string>, n decimal(12, 3)"
    )
    val row = Row(
      java.math.BigDecimal.valueOf(150, 2),
      java.sql.Date.valueOf("2024-02-29"),
      "xyz".getBytes,
      Row(1, "längs"),
      java.math.BigDecimal.valueOf(1500, 3)
    )
    withConf(MuntinConf.StreamOrder.key -> "arrival") {
      val checkpoint = ran(schema, Seq(Seq(row)))(asked(
        "SELECT max(day) OVER (PARTITION BY `a b`, day, bin, st, day ORDER BY n " +
          "ROWS 1 PRECEDING) AS m FROM t"
      ))
      val group = state(checkpoint).collect().head
      assert(group.getAs[Map[String, String]]("key") === Map(
        "a b" -> "1.50",
        "day" -> "2024-02-29",
        "day (2)" -> "2024-02-29",
        "bin" -> "xyz",
        "st" -> "{1, längs}"
      ))
      assert(group.getAs[String]("oldest_time") === "1.500")
    }
  }

  test("after an earlier micro-batch, while the query runs") {
    val (source, checkpoint) = (new Source(Readings), temporary())
    val answers = new Answers(checkpoint)
    val running = answers.start(rolling("ROWS 2 PRECEDING")(source.rows))
    try {
      source.add(Seq(reading("a", 0)))
      running.processAllAvailable()
      val before = answers.last._1
      source.add(Seq(reading("b", 1), reading("c", 2)))
      running.processAllAvailable()
      def groups(frame: org.apache.spark.sql.DataFrame): Set[String] =
        frame.collect().map(_.getAs[Map[String, String]]("key")("k")).toSet
      assert(groups(state(checkpoint)) === Set("a", "b", "c"))
      assert(groups(Muntin.state(spark, checkpoint.toString, before)) === Set("a"))
      assertCondition(
        intercept[AnalysisException](Muntin.state(spark, checkpoint.toString, 99L).collect()),
        "MUNTIN_BATCH_NOT_KEPT",
        "batch" -> "99"
      )
    } finally running.stop()
  }
}

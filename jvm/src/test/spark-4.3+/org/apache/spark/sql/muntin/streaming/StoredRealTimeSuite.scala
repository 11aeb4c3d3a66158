package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import org.apache.spark.sql.muntin.ThisJar
import org.scalatest.Assertion

/**
 * Checkpoints that queries in real-time mode have written in earlier versions: each query continues
 * in real-time mode and in micro-batches, and its results equal a batch. They are in
 * `src/test/resources/real-time-checkpoints/spark-4.3.zip.gz` and so on.
 *
 * `MUNTIN_CHECKPOINTS=write` writes the file of the running Spark, as for StoredCheckpointsSuite.
 */
final class StoredRealTimeSuite extends RealTimeSession {
  import CheckpointFile._
  import StoredRealTimeSuite._
  import StreamsOfEveryKind.{parts, schema}

  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.ansi.enabled" -> "false",
    "spark.sql.shuffle.partitions" -> "2"
  )

  private def source = new RealTimeSource(schema, _.get(0))

  private def begin(sql: String, checkpoint: Path): Unit = {
    val (from, out) = (source, new Emitted(checkpoint))
    running(out.start(asked(sql)(from.rows))) { query =>
      parts.init.foreach { rows =>
        from.add(rows: _*)
        out.next(query, rows.size): Unit
        endBatch(query)
      }
    }
  }

  private def check(checkpoint: Path, sql: String, isRealTime: Boolean): Assertion = {
    val (from, out) = (source, new Emitted(checkpoint))
    from.add(parts.flatten: _*)
    val last = parts.last
    val found = running(out.start(asked(sql)(from.rows), isRealTime)) { query =>
      val results = out.next(query, last.size)
      if (isRealTime) endBatch(query) else query.processAllAvailable()
      results ++ out.rest()
    }
    val numbers = last.map(_.getInt(2)).toSet
    val wanted = asked(sql)(table(schema, parts.flatten)).collect().toSeq
      .filter(row => numbers(row.getInt(0)))
    assert(shown(found) === shown(wanted))
  }

  if (sys.env.get("MUNTIN_CHECKPOINTS").contains("write"))
    test("write the checkpoints of this Spark") {
      val written = queries.iterator.map { case (name, sql) =>
        val checkpoint = temporary()
        begin(sql, checkpoint)
        (name, parts.init.map(_.size).sum, checkpoint)
      }
      write(RealTimeFolder.resolve(fileOf(ThisJar.SPARK)), written)
    }
  else
    for {
      file <- storedIn(RealTimeFolder)
      (name, sql) <- queries
      isRealTime <- Seq(true, false)
    } sampledTest(
      s"${sparkOf(file)}, $name: continues in ${if (isRealTime) "real time" else "micro-batches"}",
      most = 6
    ) {
      check(CheckpointFile(file).of(name).extractTo(temporary()), sql, isRealTime)
    }
}

object StoredRealTimeSuite {
  private def over(frame: String, functions: String*): String = {
    val columns = functions.zipWithIndex.map { case (f, n) => s"$f OVER w AS c$n" }
    s"SELECT i, k, ${columns.mkString(", ")} FROM t " +
      s"WINDOW w AS (PARTITION BY k ORDER BY t, i $frame)"
  }

  private val queries: Seq[(String, String)] = Seq(
    "ROWS" -> over("ROWS 7 PRECEDING", StreamsOfEveryKind.numbers: _*),
    "RANGE" -> over("", "sum(d)", "max(st)").replace(
      "t, i )",
      "t RANGE INTERVAL 9 SECONDS PRECEDING)"
    ),
    "UNBOUNDED PRECEDING" -> over(
      "ROWS UNBOUNDED PRECEDING",
      "sum(d)",
      "avg(d9)",
      "max(st)",
      "approx_count_distinct(i)",
      "ewm_mean(d, half_life => 3)",
      "count_min_sketch(i, 0.5D, 0.9D, 7)"
    ),
    "windows of rows that move" -> over(
      "",
      "sliding(sum(d), 4, flag)",
      "since(collect_list(i), i % 10 = 0)",
      "session(sum(d), 15)",
      "lag(st, 3)",
      "row_number()"
    ),
    "ttl" -> over(
      "",
      "sliding(sum(d), 4, partial => true, ttl => 9)",
      "since(max(i), false, ttl => 9)"
    )
  )
}

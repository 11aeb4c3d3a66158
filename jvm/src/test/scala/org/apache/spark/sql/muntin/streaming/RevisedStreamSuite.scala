package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Random

import io.muntin.functions.windowBy
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/**
 * Streams in output mode update, merged into a table by the key of their revisions: final rows
 * equal the rows of output mode append; with the early results, the rows equal a batch.
 */
final class RevisedStreamSuite extends StreamSession {
  import RevisedStreamSuite._
  import StreamSession._

  private type Query = DataFrame => DataFrame

  /** Rows out of order by up to `late` seconds, with ties, and with pauses. */
  private def rows(random: Random, count: Int, late: Int): Seq[Row] = {
    var time = 0
    val made = Seq.tabulate(count) { i =>
      time += (if (random.nextInt(20) == 0) 100 else random.nextInt(6))
      val t = time + (if (late > 0) random.nextInt(late) else 0)
      Row(
        if (random.nextInt(20) == 0) null else s"k${random.nextInt(3)}",
        at((if (random.nextInt(3) == 0) t / 10 * 10 else t).toLong),
        i,
        if (random.nextInt(6) == 0) null else random.nextGaussian() * 1e5
      )
    }
    if (late > 0) made else made.sortBy(_.getTimestamp(1).getTime)
  }

  private def grouped(windows: String*)(revision: String): Query = asked(windows.map { window =>
    s"""SELECT "$window" AS window, k, string(w) AS w, n, total, positive, $revision FROM (
       |  SELECT k, $window AS w, count(*) AS n, sum(d) AS total, sum(i) FILTER (WHERE d > 0)
       |    AS positive, $revision FROM t GROUP BY k, $window)""".stripMargin
  }.mkString("\nUNION ALL\n"))

  private def over(functions: String*)(revision: String): Query = asked(
    s"SELECT k, t, i, ${functions.mkString(", ")}, $revision FROM t"
  )

  private val back = "OVER (PARTITION BY k ORDER BY t, i"
  private val until = "CASE WHEN i % 9 = 0 THEN NULL ELSE t + make_dt_interval(0, 0, 0, i % 31) END"

  private val fields = grouped(
    "field_window(t, 30, 30)",
    "field_window(t, 45)",
    "field_window(t, 30, 7, open => 'all')",
    "tumble(t, '1 day', '40 seconds')"
  ) _

  private def anchored(ordered: Boolean)(revision: String): Query = df => {
    val anchors = df.where("i % 4 = 0").selectExpr(
      "k",
      "t AS at",
      "t - INTERVAL 20 SECONDS AS lo",
      "t + make_dt_interval(0, 0, 0, i % 31) AS hi"
    )
    windowBy(
      df,
      anchors,
      col("t"),
      col("lo"),
      col("hi"),
      Seq("k"),
      obsolete = col("lo"),
      ordered = ordered && df.isStreaming // a table needs an order
    ).agg(count("*").as("n"), sum("d").as("total")).createOrReplaceTempView("anchored")
    spark.sql(s"SELECT k, at, hi, n, total, $revision FROM anchored")
  }

  private val queries: Seq[(String, String => Query)] = Seq(
    "field_window" -> fields,
    "field_window, running" -> grouped(
      "field_window(t, 30, 10, every => 4)",
      "field_window(t, 45, every => 20)",
      "field_window(t, every => 50)"
    ) _,
    "ticks" -> grouped(
      "ticks(t, 'minutely')",
      "ticks(t, 'minutely', span => 3)",
      "ticks(t, 'minutely', closed => 'left')",
      "ticks(t, 'minutely', span => NULL)"
    ) _,
    "validity" ->
      grouped(s"validity(t, $until)", s"validity(t, $until, emit => 'element')") _,
    "validity, cut" -> grouped(s"validity(t, $until, dump_at => 4)") _,
    "OVER, ahead" -> over(
      s"sum(d) $back ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING) AS a",
      s"lead(i, 2) $back) AS b"
    ) _,
    "OVER, ahead in time" -> over(
      "count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 20 SECONDS PRECEDING AND " +
        "INTERVAL 20 SECONDS FOLLOWING) AS a"
    ) _,
    "OVER, ahead of peers" -> (revision =>
      asked(
        "SELECT k, t, count(*) OVER (PARTITION BY k ORDER BY t ROWS BETWEEN 1 PRECEDING AND 2 " +
          s"FOLLOWING) AS n, $revision FROM t"
      )
    ),
    "OVER, peers" -> over(
      "count(*) OVER (PARTITION BY k ORDER BY t) AS a",
      "rank() OVER (PARTITION BY k ORDER BY t) AS b"
    ) _,
    "window_by" -> anchored(ordered = false) _,
    "window_by, anchors in their order" -> anchored(ordered = true) _,
    "sessions" -> grouped("sessions(t, 4)", "sessions(t, 12)") _
  )

  private def withoutRevision(row: Row): Row = Row.fromSeq(row.toSeq.init)

  private val onTime: DataFrame => DataFrame = _.withWatermark("t", "1 minute")

  for {
    ((name, query), seed) <- queries.zipWithIndex
    orders =
      if (name == "validity, cut") Seq("watermark")
      else if (name.startsWith("window_by")) Seq("watermark", "group")
      else if (name == "ticks" || name == "field_window, running") Seq("watermark", "arrival")
      else Seq("watermark", "arrival", "group")
    order <- orders
  } sampledTest(s"$name, in order of $order: the merged final rows equal append") {
    val random = new Random(seed.toLong)
    val isByTime = order == "watermark"
    val all = rows(random, 90, if (isByTime) 30 else 0)
    val batches = cut(random, all, 30, 5)
    val restarts = chosen(random, batches, 3)
    withConf(
      MuntinConf.StreamOrder.key -> order,
      MuntinConf.StreamWarmMemory.key -> (if (seed % 2 == 0) "0" else "64m")
    ) {
      val out = streamed(Readings, batches, restarts, outputMode = "update")(
        onTime.andThen(query("revision()"))
      )
      val table = new Merged
      out.foreach(table.add)
      val appended = streamed(Readings, batches)(onTime.andThen(query("revision()"))).flatten
      val once = new Merged
      once.add(appended)
      assert(once.keys === table.keysEnded)
      assert(shown(table.ended) === shown(appended.map(withoutRevision)))
      assert(appended.size > 10)
      // With only an order, rows have their results when they arrive.
      assert(table.kinds("new") > 0 || (name == "OVER, peers" && !isByTime))
      val isUndone = Seq("validity", "field_window", "sessions").exists(name.startsWith)
      assert(isUndone || table.kinds("withdrawn") === 0)
      if (name == "validity") assert(table.kinds("withdrawn") > 0)
      if (isByTime) {
        val expected = query("0 AS revision")(this.table(Readings, all)).collect().toSeq
        // A quiet group does not receive the time, or the places of cuts.
        if (name != "ticks" && name != "validity, cut") {
          assert(shown(table.all) === shown(expected.map(withoutRevision)))
        }
      }
    }
  }

  private val half = "SELECT k, field_window(t, 30, 30) AS w, sum(d) AS total, count(*) AS n"

  private def halves(more: String, tail: String = ""): Query = asked(
    s"SELECT k, string(w) AS w, total, n$more FROM ($half$more FROM t " +
      s"GROUP BY k, field_window(t, 30, 30)) $tail"
  )

  private def both(query: Query): Query = onTime.andThen(query)

  test("without the column: changed results, each once") {
    val all = rows(new Random(21L), 80, 30)
    val batches = cut(new Random(22L), all, 20, 5)
    val out = streamed(Readings, batches, Set(2), outputMode = "update")(both(halves(""))).flatten
    val table = mutable.Map.empty[(Any, Any), Row]
    out.foreach { row =>
      val before = table.put((row.get(0), row.get(1)), row)
      assert(!before.exists(Rendered(_) == Rendered(row)), s"$row is emitted twice")
    }
    val expected = halves("")(this.table(Readings, all)).collect().toSeq
    assert(out.size > expected.size)
    assert(shown(table.values.toSeq) === shown(expected))
  }

  test("over the runs of a bounded stream, with one run killed, and drained at its end") {
    val all = rows(new Random(23L), 60, 30)
    val source = new Source(Readings)
    val answers = new Answers(outputMode = "update")
    val table = new Merged
    val query = both(grouped("field_window(t, 30, 30)", "ticks(t, 'minutely')")("revision()"))
    def run(fails: Long => Boolean = _ => false): Unit =
      answers.start(query(source.rows), Trigger.AvailableNow(), fails).awaitTermination()
    all.grouped(20).toSeq.zipWithIndex.foreach { case (some, i) =>
      source.add(some)
      if (i == 1) intercept[Exception](run(_ => true)): Unit
      if (i < 2) run() else withConf(MuntinConf.StreamDrain.key -> "true")(run())
      table.add(answers.next())
    }
    val expected = grouped("field_window(t, 30, 30)", "ticks(t, 'minutely')")("0 AS revision")(
      this.table(Readings, all)
    ).collect().toSeq
    assert(shown(table.ended) === shown(expected.map(withoutRevision)))
    assert(table.all.size === table.ended.size)
  }

  sampledTest("of windows over windows the last are revised; in append all rows are final") {
    val all = rows(new Random(24L), 90, 30)
    val batches = cut(new Random(25L), all, 30, 5)
    val query = both(asked(
      s"""SELECT k, string(w) AS w, n, sum(n) OVER (PARTITION BY k ORDER BY w.close RANGE BETWEEN
         |    INTERVAL 2 MINUTES PRECEDING AND INTERVAL 1 MINUTE FOLLOWING) AS around,
         |  concat('of ', revision().kind) AS said, revision() AS revision FROM
         |  ($half FROM t GROUP BY k, field_window(t, 30, 30))""".stripMargin
    ))
    val table = new Merged
    streamed(Readings, batches, outputMode = "update")(query).foreach(table.add)
    val appended = streamed(Readings, batches)(query).flatten
    assert(shown(table.ended) === shown(appended.map(withoutRevision)))
    assert(appended.size > 10 && table.kinds("new") > 0)
    assert(appended.forall(_.getStruct(5).getString(2) == "final"))
    assert(appended.forall(_.getString(4) == "of final"))
  }

  private def refused(condition: String, query: Query): Unit =
    assertRefused(condition)(streamed(Readings, Nil, outputMode = "update")(both(query)))

  test("queries that output mode update does not support, and revision() without windows") {
    val withoutRevision = "MUNTIN_UPDATE_MODE_WITHOUT_REVISION"
    refused(withoutRevision, asked(s"SELECT validity(t, $until) v, count(*) FROM t GROUP BY v"))
    refused(withoutRevision, asked("SELECT field_window(t, 45) w, count(*) FROM t GROUP BY w"))
    val windows = s"$half FROM t GROUP BY k, field_window(t, 30, 30)"
    val counts = "SELECT k, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM t"
    val withFilter = "MUNTIN_UPDATE_MODE_WITH_FILTER"
    refused(withFilter, halves("", "WHERE n > 3"))
    refused(withFilter, asked(s"WITH h AS ($windows) SELECT * FROM h WHERE n > 3"))
    refused(withFilter, asked(s"SELECT * FROM ($counts) WHERE n < 3"))
    spark.range(5L).selectExpr("id").createOrReplaceTempView("five")
    Seq("JOIN", "LEFT JOIN", "LEFT SEMI JOIN").foreach { join =>
      val sql = s"SELECT k, n FROM ($windows) $join five ON n = id"
      refused("MUNTIN_UPDATE_MODE_WITH_JOIN", asked(sql))
    }
    refused(
      "MUNTIN_UPDATE_MODE_WITH_GENERATOR",
      asked(s"SELECT k, explode(sequence(1, n)) FROM ($windows)")
    )
    assertRefused("MUNTIN_MISPLACED_REVISION", "operator" -> "Project") {
      asked("SELECT k, revision() FROM t")(table(Readings, Nil))
    }
  }

  test("anchors that agree in all columns have a revision each; in agg, and rejected for a table") {
    val batches = Seq(Seq(5, 10), Seq(12), Seq(40)).map(_.map(t => Row("k", at(t.toLong), t, 1.0)))
    def windows(anchors: DataFrame)(df: DataFrame): DataFrame = {
      val source = df.withWatermark("t", "0 seconds")
      windowBy(source, anchors, col("t"), col("lo"), col("hi"), obsolete = col("lo"))
        .agg(count("*").as("n"), io.muntin.functions.revision()).asInstanceOf[DataFrame]
    }
    def ofStream(df: DataFrame): DataFrame = {
      // The anchor at 40 advances the watermark of the anchors.
      val twice = df.where("i IN (10, 40)").selectExpr("explode(array(1, 2)) AS x", "t AS lo")
        .selectExpr("lo", "lo + INTERVAL 20 SECONDS AS hi").withWatermark("lo", "0 seconds")
      windows(twice)(df)
    }
    val all = streamed(Readings, batches, outputMode = "update")(ofStream)
    val out = all.map(_.filter(_.getTimestamp(0) == at(10L)).map { row =>
      val revision = row.getStruct(3)
      (row.getLong(2), revision.getString(2), revision.getString(0))
    })
    assert(out.map(_.map(r => (r._1, r._2))).filter(_.nonEmpty) ===
      Seq("new" -> 1L, "changed" -> 2L, "final" -> 2L).map { case (kind, n) =>
        Seq.fill(2)((n, kind))
      })
    assert(out.flatten.map(_._3).toSet.size === 2)
    val table = spark.sql("SELECT TIMESTAMP '2024-01-01 00:00:00' AS lo, " +
      "TIMESTAMP '2024-01-01 00:01:00' AS hi").asInstanceOf[DataFrame]
    assertRefused("MUNTIN_UPDATE_MODE_WITH_TABLE_OF_ANCHORS") {
      streamed(Readings, Nil, outputMode = "update")(windows(table))
    }
  }

  test("a join by keys, and revision() of a query of WITH") {
    val all = rows(new Random(28L), 40, 30)
    val batches = Seq(all.take(20), all.drop(20))
    val half30 = s"$half FROM t GROUP BY k, field_window(t, 30, 30)"
    def query(revision: String) = both(asked(
      s"WITH h AS ($half30) SELECT 'w' AS q, k, w.close, n, r AS revision FROM " +
        s"(SELECT *, $revision AS r FROM h) JOIN VALUES ('k0'), ('k1') AS keys(name) ON k = name"
    ))
    val table = new Merged
    streamed(Readings, batches, outputMode = "update")(
      query("revision()")
    ).foreach(table.add)
    val appended = streamed(Readings, batches)(query("0")).flatten
    assert(table.kinds("changed") > 0 && appended.nonEmpty)
    assert(shown(table.ended) === shown(appended.map(withoutRevision)))
    // Also in a batch.
    val batch =
      asked(s"WITH h AS ($half30) SELECT revision().kind FROM h")(this.table(Readings, all))
    assert(batch.collect().forall(_.getString(0) == "final"))
  }

  test("filters that hold for all revisions of a result are not rejected") {
    val all = rows(new Random(26L), 40, 30)
    def out(tail: String): Seq[Row] = streamed(Readings, Seq(all), outputMode = "update")(
      both(halves(", revision() AS revision", tail))
    ).flatten
    assert(out("WHERE revision.kind = 'final' AND n > 1").forall(_.getLong(3) > 1L))
    assert(out("WHERE k = 'k1'").nonEmpty)
  }

  test("a checkpoint belongs to one output mode") {
    val checkpoint = temporary()
    def run(mode: String, count: Int) = streamed(
      Readings,
      Seq.fill(count)(rows(new Random(27L), 10, 30)),
      outputMode = mode,
      checkpoint = checkpoint
    )(both(halves("")))
    run("append", 1)
    assertCondition(
      intercept[Exception](run("update", 2)),
      "MUNTIN_CHECKPOINT_OF_OTHER_QUERY",
      "property" -> "output mode",
      "stored" -> "none",
      "current" -> "update"
    )
  }
}

object RevisedStreamSuite {

  /** A table into which revisions are merged; the last column of a row is its revision. */
  final class Merged {
    private val rows = mutable.LinkedHashMap.empty[String, (Row, String)]
    private val counted = mutable.Map.empty[String, Int].withDefaultValue(0)
    private var newest = -1L

    /** Returns the number of revisions of this kind. */
    def kinds(kind: String): Int = counted(kind)

    /** Returns the rows of one micro-batch, or of several. */
    def add(batch: Seq[Row]): Unit = batch.groupBy(r => revision(r).getLong(1)).toSeq
      .sortBy(_._1)
      .foreach { case (number, revised) =>
        assert(number > newest, s"micro-batch $number after $newest")
        newest = number
        val keys = revised.map(keyOf)
        val twice = keys.diff(keys.distinct)
        assert(twice.isEmpty, s"repeated keys in one micro-batch: $twice")
        revised.foreach(merge)
      }

    private def merge(row: Row): Unit = {
      val (key, kind) = (keyOf(row), revision(row).getString(2))
      val before = rows.get(key).map(_._2)
      assert(!before.contains("final"), s"$kind after the final revision of $key")
      assert(
        if (kind == "new") before.isEmpty
        else if (kind == "final") true
        else before.isDefined,
        s"$kind $key, which was $before"
      )
      counted(kind) += 1
      val said = Row.fromSeq(row.toSeq.init)
      if (kind != "withdrawn") rows(key) = (said, kind)
      else {
        assert(
          Rendered(rows(key)._1) == Rendered(said),
          s"the withdrawn row equals the emitted row: $key"
        )
        rows.remove(key): Unit
      }
    }

    // The first column is the number of the query in a UNION.
    private def keyOf(row: Row): String = s"${row.get(0)} ${revision(row).getString(0)}"

    private def revision(row: Row): Row = row.getStruct(row.size - 1)

    def keysEnded: Set[String] = rows.collect { case (key, (_, "final")) => key }.toSet

    def keys: Set[String] = rows.keySet.toSet

    def all: Seq[Row] = rows.values.map(_._1).toSeq

    def ended: Seq[Row] = rows.values.collect { case (row, "final") => row }.toSeq
  }
}

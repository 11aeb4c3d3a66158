package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import scala.util.Random

import io.muntin.Muntin
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.Trigger

/**
 * Windows of groups with changed functions, which continue a checkpoint: functions that continue
 * have the results of a batch over all rows; functions that restart have these results in windows
 * that open after the change.
 */
final class ChangedAggregatesSuite extends StreamSession {
  import StreamSession.Readings

  override protected def settings: Map[String, String] =
    super.settings ++ Map(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2"
    )

  private val rows: Seq[Row] = {
    val random = new Random(7L)
    var second = 0L
    Seq.tabulate(200) { i =>
      second += (if (random.nextInt(12) == 0) 15L else 1L + random.nextInt(2).toLong)
      Row(s"k${math.min(random.nextInt(5), 2)}", at(second), i, if (i % 7 == 3) null else i / 4.0)
    }
  }

  private val parts = Seq(rows.take(77), rows.slice(77, 140), rows.drop(140))

  private def windows(window: String, functions: Seq[String])(df: DataFrame): DataFrame = {
    df.withWatermark("t", "3 seconds").createOrReplaceTempView("readings")
    val results = functions.zipWithIndex.map { case (f, i) => s"$f AS c$i" }
    spark.sql(
      s"SELECT k, string(w) AS w, ${results.indices.map("c" + _).mkString(", ")} FROM (" +
        s"SELECT k, $window AS w, ${results.mkString(", ")} FROM readings GROUP BY k, $window)"
    )
  }

  private def run(checkpoint: Path, query: DataFrame, isLast: Boolean = false): Seq[Row] = {
    val answers = new Answers(checkpoint)
    withConf(MuntinConf.StreamDrain.key -> isLast.toString) {
      answers.start(query, Trigger.AvailableNow()).awaitTermination()
    }
    answers.next()
  }

  /**
   * Changes the functions between two parts of the rows, and checks that the other functions
   * equal a batch. Returns what becomes of the functions.
   */
  private def check(window: String, before: Seq[String], after: Seq[String]): Seq[Row] = {
    val source = new Source(Readings)
    val checkpoint = temporary()
    source.add(parts(0))
    val early = run(checkpoint, windows(window, before)(source.rows))
    val old = files(checkpoint)
    val query = windows(window, after)(source.rows)
    val to = temporary().resolve("changed")
    val changes = Muntin.change(query, checkpoint.toString, to.toString, incomplete = true)
      .collect().toSeq
    assert(files(checkpoint) === old)
    assert(changes === Muntin.compare(query, checkpoint.toString).collect().toSeq)
    source.add(parts(1))
    val second = run(to, query)
    val grown = temporary().resolve("grown")
    Muntin.repartition(spark, to.toString, 3, grown.toString): Unit
    source.add(parts(2))
    val late = second ++ run(grown, query, isLast = true)
    val wanted = windows(window, after)(table(Readings, rows)).collect().toSeq
    def name(row: Row) = (row.get(0), row.get(1))
    // Each window has one result, before or after the change.
    assert((early ++ late).map(name).groupBy(identity).values.map(_.size).toSet === Set(1))
    assert((early ++ late).map(name).toSet === wanted.map(name).toSet)
    assert(late.size > 5)
    val continues = actions(changes).take(after.size).zipWithIndex.collect {
      case ("continues", i) => 2 + i
    }
    val names = late.map(name).toSet
    def columns(of: Seq[Row], numbers: Seq[Int]) =
      shown(of.map(row => Row.fromSeq((Seq(0, 1) ++ numbers).map(row.get))))
    assert(columns(late, continues) ===
      columns(wanted.filter(row => names(name(row))), continues))
    // Windows that opened after the change have all of their rows.
    val newest = late.drop(late.size / 2).map(name).toSet
    val all = 2 until 2 + after.size
    assert(columns(late.filter(row => newest(name(row))), all) ===
      columns(wanted.filter(row => newest(name(row))), all))
    changes
  }

  private def compared(window: String, before: Seq[String], after: Seq[String]): Seq[String] = {
    val source = new Source(Readings)
    val checkpoint = temporary()
    source.add(parts(0))
    assert(run(checkpoint, windows(window, before)(source.rows)).nonEmpty)
    val query = windows(window, after)(source.rows)
    actions(Muntin.compare(query, checkpoint.toString).collect().toSeq)
  }

  private def actions(changes: Seq[Row]): Seq[String] = changes.map(_.getAs[String]("action"))

  private def continues(n: Int): Seq[String] = Seq.fill(n)("continues")

  private val accumulated = Seq(
    "tumble(t, '20 seconds')",
    "field_window(t, 25, 25, 3)",
    "sessions(t, 11)"
  )

  private val overlapping = Seq(
    "hop(t, 10, 40)",
    "field_window(t, 30, 7, open => 'all')",
    "ticks(t, 'minutely')",
    "ticks(t, 'minutely', span => 2)"
  )

  private val saved = Seq("sum(d)", "max(i)", "count(d)", "first(d)", "delta(i)", "pct_change(d)")

  for (window <- accumulated) {
    sampledTest(s"$window: functions are removed and change places") {
      assert(actions(check(window, saved, saved.reverse.filterNot(_ == "max(i)"))) ===
        continues(5) :+ "is dropped")
      assert(actions(check(window, saved, Seq("pct_change(d)"))) ===
        continues(1) ++ Seq.fill(5)("is dropped"))
    }

    sampledTest(s"$window: an added function restarts, the others continue") {
      withConf(MuntinConf.PanesEnabled.key -> "false") {
        val after = Seq("min(d)", "count(*)", "max(i)", "sum(d)")
        assert(actions(check(window, saved.take(2), after)).take(4) === "restarts" +: continues(3))
      }
    }

    sampledTest(s"$window: rows that the state has suffice") {
      val before = Seq("sum(d)", "median(d)", "max(i)")
      assert(actions(check(window, before, Seq("min(d)", "collect_list(i)", "median(d)"))) ===
        continues(3) ++ Seq("is dropped", "is dropped"))
      // The state has accumulators afterwards, and rows before.
      withConf(MuntinConf.PanesEnabled.key -> "false") {
        assert(actions(check(window, before, Seq("avg(d)", "max(i)", "min(i)"))) ===
          continues(3) ++ Seq("is dropped", "is dropped"))
      }
    }
  }

  sampledTest("windows that begin with their group: functions are removed and change places") {
    val window = "ticks(t, 'minutely', span => NULL)"
    assert(actions(check(window, saved, saved.reverse.filterNot(_ == "max(i)"))) ===
      continues(5) :+ "is dropped")
  }

  // The state has partial aggregates by pane.
  for (window <- Seq("tumble(t, '20 seconds')", "hop(t, 10, 40)", "field_window(t, 30, 7)"))
    sampledTest(s"$window, by panes: functions are removed, added and change places") {
      val before = Seq("sum(d)", "max(i)", "corr(d, i)", "count(d)")
      assert(actions(check(window, before, Seq("corr(d, i)", "count(d)", "sum(d)"))) ===
        continues(3) :+ "is dropped")
      assert(actions(check(window, before, Seq("min(i)", "count(d)", "max(i)"))) ===
        Seq("restarts", "continues", "continues", "is dropped", "is dropped"))
      // The state has a count, and not the sum.
      assert(compared(window, Seq("count(d)", "max(i)"), Seq("avg(d)", "count(d)")) ===
        Seq("needs history", "continues", "is dropped"))
      assert(actions(check(
        window,
        Seq("avg(d)", "max(i)"),
        Seq("avg(d)", "sum(d)", "count(d)")
      )) ===
        continues(3) :+ "is dropped")
    }

  for (window <- overlapping) {
    sampledTest(s"$window: rows that the state has suffice") {
      val before = Seq("sum(d)", "collect_list(i)", "max(i)")
      assert(actions(check(window, before, Seq("min(d)", "collect_list(i)", "mode(i % 3)"))) ===
        continues(3) ++ Seq("is dropped", "is dropped"))
    }

    sampledTest(s"$window: a column that the rows lack") {
      assert(actions(check(window, Seq("sum(i)", "mode(i % 3)"), Seq("sum(d)", "mode(i % 3)"))) ===
        Seq("restarts", "continues", "is dropped", "restarts"))
    }
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.StreamingQuery

/** `spark.muntin.stream.closeAfter`: the clock starts at the opening of a window. */
final class ClosingByClockSuite extends StreamSession {
  import StreamSession.Readings

  private def row(k: String, t: Long, i: Int): Row = Row(k, at(t), i, i * 1.0)

  private def windows(window: String)(df: DataFrame): DataFrame =
    df.withWatermark("t", "10 hours").groupBy(col("k"), expr(s"$window AS w"))
      .agg(expr("sum(i) AS total"))
      .select(
        col("k"),
        expr(s"unix_seconds(w.${if (window.startsWith("field")) "open" else "start"})")
          .minus(origin.getEpochSecond),
        col("total")
      )

  sampledTest("old rows that are read again are not lost, for any short duration") {
    val rows = Seq.tabulate(60)(i => row(s"k${i % 2}", 37L * i, i)).grouped(7).toSeq :+
      Seq(row("far", 1000000L, 0))
    def found(closeAfter: Option[String]): Seq[Row] = {
      val conf = closeAfter.map(MuntinConf.StreamCloseAfter.key -> _).toSeq
      withConf(conf: _*)(streamed(
        Readings,
        rows,
        Set(3)
      )(windows("field_window(t, 60, 60)"))).flatten
    }
    val wanted = shown(found(None))
    assert(wanted.size > 30 && shown(found(Some("1000s"))) === wanted)
  }

  /** A query that closes windows after a second, and its results. */
  private final class Quiet(window: String) {
    private val source = new Source(Readings)
    private val answers = new Answers
    private val out = mutable.ArrayBuffer.empty[Row]
    private var late = Map.empty[Long, Long]
    private var running: StreamingQuery = _

    def start(): Unit = running = answers.start(windows(window)(source.rows))

    def add(rows: Row*): Unit = {
      source.add(rows)
      running.processAllAvailable()
    }

    def dropped: Long = {
      running.recentProgress.foreach { p =>
        p.stateOperators.headOption.foreach(o => late += p.batchId -> o.numRowsDroppedByWatermark)
      }
      late.values.sum
    }

    def awaits(rows: Row*): Unit = {
      val until = System.nanoTime + 60L * 1000000000L
      while (out.size < rows.size && System.nanoTime < until) {
        Thread.sleep(50L)
        out ++= answers.next()
      }
      assert(shown(out.toSeq) === shown(rows))
      out.clear()
    }

    def stop(): Unit = running.stop()
  }

  private def quiet(window: String)(body: Quiet => Unit): Unit =
    withConf(MuntinConf.StreamCloseAfter.key -> "1s") {
      val query = new Quiet(window)
      query.start()
      try body(query)
      finally query.stop()
    }

  test("a quiet stream: the clock closes windows, and rows for them are late") {
    quiet("field_window(t, 60, 60)") { query =>
      query.add(row("a", 10L, 1), row("a", 20L, 2), row("b", 70L, 4))
      query.awaits(Row("a", 0L, 3L), Row("b", 60L, 4L))
      // Late for a, whose window has closed; in time for c.
      query.add(row("a", 30L, 8), row("c", 30L, 16), row("a", 61L, 32))
      assert(query.dropped === 1L)
      query.awaits(Row("c", 0L, 16L), Row("a", 60L, 32L))
    }
  }

  test("the clock also closes days of a calendar") {
    quiet("tumble(t, '1 day', '1 minute')") { query =>
      query.add(row("a", 10L, 1), row("a", 70L, 2))
      query.awaits(Row("a", 60L - 86400L, 1L), Row("a", 60L, 2L))
      query.add(row("a", 80L, 4), row("b", 80L, 8), row("a", 86460L, 16))
      assert(query.dropped === 1L)
      query.awaits(Row("b", 60L, 8L), Row("a", 86460L, 16L))
    }
  }

  test("over a restart: the clock continues from the opening") {
    quiet("field_window(t, 60, 30)") { query =>
      query.add(row("a", 40L, 1))
      query.stop()
      query.start()
      // The query reads the clock from the first micro-batch on.
      query.add(row("b", 10L, 8))
      query.awaits(Row("a", 30L, 1L), Row("b", 0L, 8L))
      query.add(row("a", 89L, 2), row("a", 90L, 4))
      assert(query.dropped === 1L)
      query.awaits(Row("a", 60L, 4L), Row("a", 90L, 4L))
    }
  }

  test("windows that open at a row") {
    quiet("field_window(t, 60)") { query =>
      query.add(row("a", 10L, 1), row("a", 69L, 2))
      query.awaits(Row("a", 10L, 3L))
      query.add(row("a", 69L, 4), row("a", 70L, 8))
      assert(query.dropped === 1L)
      query.awaits(Row("a", 70L, 8L))
    }
  }

  test("the windows of a group, and their opening times") {
    val opened = new OpenedWindows
    opened.open(100L, 30L)
    opened.open(100L, 20L)
    opened.open(103L, 60L)
    opened.open(104L, 60L)
    assert(opened.oldest === Some(100L) && opened.closed === Long.MinValue)
    opened.close(99L)
    assert(opened.oldest === Some(100L))
    opened.close(102L)
    assert(opened.oldest === Some(103L) && opened.closed === 30L)
    val out = new StateOutput
    opened.write(out)
    val again = new OpenedWindows
    again.open(1L, 1L)
    again.read(new StateInput(out.copy))
    assert(again.oldest === Some(103L) && again.closed === 30L)
    again.pass(60L)
    assert(again.oldest === None && again.closed === 30L)
  }
}

package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.types._

/**
 * Rows of equal times, one in each micro-batch, with a watermark of 0 seconds: a row at the
 * watermark is in time, and a result waits for it.
 */
final class EqualTimesSuite extends StreamSession {
  import StreamSession.Readings

  private def row(k: String, t: Long, i: Int): Row = Row(k, new Timestamp(t * 1000L), i, i * 0.5)

  /** The rows emitted after each row; no row is late. */
  private def oneByOne(order: String, rows: Seq[Row], schema: StructType = Readings)(
      query: DataFrame => DataFrame
  ): Seq[Seq[Row]] = {
    var dropped = 0L
    val found = withConf(MuntinConf.StreamOrder.key -> order) {
      streamed(
        schema,
        rows.map(Seq(_)),
        Set(2, 4),
        p => dropped += p.stateOperators.map(_.numRowsDroppedByWatermark).sum
      )(df => query(df.withWatermark("t", "0 seconds")))
    }
    assert(dropped === 0L)
    found
  }

  private val far = row("far", 100000L, -1)

  for (order <- Seq("watermark", "arrival")) {
    sampledTest(
      s"OVER, SQLstream's weather: three pairs of rows at one rowtime, in order of $order"
    ) {
      val rows = Seq(10 -> 1, 10 -> 2, 20 -> 3, 30 -> 4, 30 -> 5, 30 -> 6, 41 -> 7, 41 -> 8)
        .map { case (t, i) => row(if (i % 3 == 0) "b" else "a", t.toLong, i) }
      val query = asked(
        """SELECT k, i, min(i) OVER w, max(d) OVER w, count(*) OVER w FROM t
          |WINDOW w AS (PARTITION BY k ORDER BY t, i ROWS 3 PRECEDING)""".stripMargin
      ) _
      val wanted = query(table(Readings, rows)).collect().toSeq
      val found = oneByOne(order, rows :+ far)(query(_))
      assert(shown(found.flatten.filter(_.getInt(1) > 0)) === shown(wanted))
      if (order == "arrival") assert(found.take(rows.size).map(_.size) === rows.map(_ => 1))
    }

    sampledTest(s"validity, Odysseus' elements, two with the start 40, in order of $order") {
      val schema = StructType(Seq("t", "e").map(StructField(_, TimestampType)))
      val rows = Seq(10 -> 50, 20 -> 60, 40 -> 70, 40 -> 80, 100 -> 200).map { case (s, e) =>
        Row(new Timestamp(s * 1000L), new Timestamp(e * 1000L))
      }
      val found = oneByOne(order, rows, schema)(asked(
        """SELECT unix_seconds(validity.start), unix_seconds(validity.end), count(*) FROM t
          |GROUP BY validity(t, e)""".stripMargin
      ))
      val pieces = Seq((10, 20, 1), (20, 40, 2), (40, 50, 4), (50, 60, 3), (60, 70, 2), (70, 80, 1))
      assert(found.flatten === pieces.map { case (s, e, n) => Row(s.toLong, e.toLong, n.toLong) })
    }

    sampledTest(s"field_window, StreamBase's windows of 30 with equal fields, in order of $order") {
      val rows = Seq(
        row("AMAT", 20L, 1),
        row("AMAT", 20L, 2),
        row("INTC", 20L, 4),
        row("AMAT", 30L, 8),
        row("INTC", 30L, 16),
        row("AMAT", 60L, 32)
      )
      val found = oneByOne(order, rows) { df =>
        df.groupBy(col("k"), expr("field_window(t, 30, 30) AS w")).agg(expr("sum(i) AS total"))
          .select(col("k"), col("w.open").cast("long"), col("total"))
      }
      assert(found.map(shown) === Seq(
        Nil,
        Nil,
        Nil,
        Seq("[AMAT, 0, 3]", "[INTC, 0, 4]"),
        Nil,
        Seq("[AMAT, 30, 8]", "[INTC, 30, 16]"),
        Nil
      ))
    }
  }

  test("a row at the beginning of 1970, the initial watermark") {
    val found = oneByOne("watermark", Seq(row("k", 0L, 1), row("k", 0L, 2), far))(
      asked("SELECT i, sum(i) OVER (PARTITION BY k ORDER BY t, i ROWS 9 PRECEDING) FROM t")
    )
    assert(found.flatten === Seq(Row(1, 1L), Row(2, 3L)))
  }

  sampledTest("Spark's own aggregation above, for which a row at the watermark is late") {
    val rows = Seq(9 -> 1, 10 -> 2, 10 -> 4, 10 -> 8, 15 -> 16, 21 -> 32, 21 -> 64, 35 -> 128)
      .map { case (t, i) => row("k", t.toLong, i) }
    val query = asked(
      """SELECT unix_seconds(window.start), sum(s), count(*) FROM
        |  (SELECT t, sum(i) OVER (PARTITION BY k ORDER BY t RANGE CURRENT ROW) AS s FROM t)
        |GROUP BY window(t, '10 seconds')""".stripMargin
    ) _
    val wanted = query(table(Readings, rows)).collect().toSeq
    val found = oneByOne("watermark", rows ++ Seq(far, far))(query(_)).flatten
    assert(shown(found) === shown(wanted))
  }
}

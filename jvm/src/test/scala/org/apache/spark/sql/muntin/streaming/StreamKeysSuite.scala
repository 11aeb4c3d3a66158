package org.apache.spark.sql.muntin.streaming

import io.muntin.functions.windowBy
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions.{col, count, expr}
import org.scalatest.Assertion

/** Keys with a collation: equal keys differ in their bytes. */
final class StreamKeysSuite extends StreamSession {
  import StreamSession.Readings

  private def collated(df: DataFrame): DataFrame =
    df.withWatermark("t", "1 minute").selectExpr("*", "k COLLATE UTF8_LCASE AS name")

  private val rows = Seq(("a", 1L), ("A", 2L), ("b", 3L), (null, 4L), ("a", 5L)).map {
    case (k, t) => Row(k, at(t), 0, 1.0)
  }

  // The first row advances time.
  private val ends = Seq(1000L, 2000L).map(t => Seq(Row("end", at(t), 0, 0.0)))

  private def check(query: DataFrame => DataFrame): Assertion = {
    val asked = collated _ andThen query
    def told(found: Seq[Row]) = shown(found.filterNot(_.get(0) == "end"))
    val found = streamed(Readings, rows.map(Seq(_)) ++ ends, Set(2))(asked).flatten
    assert(told(found) === told(asked(table(Readings, rows)).collect().toSeq))
  }

  test("PARTITION BY: equal keys are one group") {
    check(asked("SELECT k, t, sum(d) OVER (PARTITION BY name ORDER BY t) AS s, name FROM t"))
  }

  test("window_by: equal keys are one key") {
    check { rows =>
      val anchors = rows.selectExpr("k AS key", "t AS at", "upper(k) COLLATE UTF8_LCASE AS name")
      windowBy(
        rows,
        anchors,
        col("t"),
        col("at") - expr("INTERVAL 10 SECONDS"),
        col("at"),
        Seq("name")
      )
        .agg(count("*").as("n")).asInstanceOf[DataFrame]
    }
  }

  test("GROUP BY is rejected with a remedy, and the remedy runs") {
    assertRefused(
      "MUNTIN_STREAM_KEY_WITHOUT_BINARY_EQUALITY",
      "function" -> "field_window",
      "key" -> "name"
    )(streamed(Readings, Nil) { df =>
      asked("SELECT sum(d) FROM t GROUP BY name, field_window(t, 30)")(collated(df))
    })
    val instead = "lower(name COLLATE UTF8_BINARY)"
    check(asked(
      s"SELECT $instead, sum(d), field_window.open FROM t GROUP BY $instead, field_window(t, 30)"
    ))
  }
}

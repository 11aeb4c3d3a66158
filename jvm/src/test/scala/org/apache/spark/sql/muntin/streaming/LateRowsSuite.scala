package org.apache.spark.sql.muntin.streaming

import java.nio.file.Path

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.streaming.{StreamingQueryProgress, Trigger}

/** Dropped rows are written to a folder, each once. */
final class LateRowsSuite extends StreamSession {
  import StreamSession._

  private def reading(k: String, seconds: Long, i: Int) = Row(k, at(seconds), i, 0.5 * i)

  private def found(folder: Path): Seq[Row] =
    if (folder.toFile.list().isEmpty) Nil
    else
      spark.read.schema(Readings.add("batch", "long").add("operator", "int").add("query", "string"))
        .json(folder.toString).orderBy("batch", "i").collect().toSeq

  /** Returns the rows that the query drops, and the number of dropped rows in its progress. */
  private def leftOut(
      batches: Seq[Seq[Row]],
      settings: (String, String)*
  )(query: DataFrame => DataFrame): (Seq[Row], Long) = {
    val folder = temporary()
    var counted = Map.empty[Long, Long]
    def count(progress: StreamingQueryProgress): Unit =
      counted += progress.batchId -> progress.stateOperators.map { o =>
        o.numRowsDroppedByWatermark + o.customMetrics.get("numRowsOutOfOrder")
      }.sum
    withConf(settings :+ (MuntinConf.StreamLateRows.key -> folder.toString): _*) {
      streamed(Readings, batches, batches.indices.filter(_ % 2 == 0).toSet, count)(query): Unit
    }
    (found(folder), counted.values.sum)
  }

  private val batches = Seq(
    Seq(reading("a", 100, 1), reading("b", 90, 2)),
    Seq(reading("a", 50, 3), reading(null, 99, 4), reading("b", 120, 5)),
    Seq(reading("a", 119, 6), reading("a", 121, 7)),
    Seq(reading("b", 130, 8))
  )

  private def ids(rows: Seq[Row]) = rows.map(_.getAs[Int]("i"))

  for (
    (name, sql) <- Seq(
      "OVER" -> "SELECT *, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM t",
      "field_window, by panes" ->
        "SELECT k, max(i), max(d) FROM t GROUP BY k, field_window(t, 30, 30)",
      "field_window" -> "SELECT k, count(DISTINCT i), max(d) FROM t GROUP BY k, field_window(t, 30, 30)",
      "validity" -> "SELECT k, max(i), max(d) FROM t GROUP BY k, validity(t, t + INTERVAL 1 MINUTE)"
    )
  ) sampledTest(s"$name: late rows, unchanged", most = 2) {
    val (rows, counted) = leftOut(batches)(df => asked(sql)(df.withWatermark("t", "0 seconds")))
    assert(ids(rows) === Seq(3, 4, 6))
    assert(counted === 3L)
    assert(rows.map(_.getAs[Any]("k")) === Seq("a", null, "a"))
    assert(rows.map(_.getTimestamp(1)) === Seq(at(50), at(99), at(119)))
    assert(rows.map(_.getAs[Double]("d")) === Seq(1.5, 2.0, 3.0))
    assert(rows.map(_.getAs[String]("query")).distinct.size === 1)
  }

  test("rows out of order, in the order of arrival") {
    val (rows, counted) = leftOut(
      batches,
      MuntinConf.StreamOrder.key -> "arrival",
      MuntinConf.StreamOutOfOrder.key -> "drop"
    )(asked("SELECT *, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM t"))
    assert(ids(rows) === Seq(3, 4, 6))
    assert(counted === 3L)
  }

  test("a time whose name is invalid for files") {
    val (rows, counted) = leftOut(batches) { df =>
      val named = df.withColumnRenamed("t", "_a: b/c").withWatermark("`_a: b/c`", "0 seconds")
      asked("SELECT i, count(*) OVER (PARTITION BY k ORDER BY `_a: b/c`) AS n FROM t")(named)
    }
    assert(ids(rows) === Seq(3, 4, 6))
    assert(counted === 3L)
  }

  test("without late rows there is no file") {
    val (rows, counted) = leftOut(batches.take(1)) { df =>
      asked("SELECT *, count(*) OVER (ORDER BY t) AS n FROM t")(df.withWatermark("t", "0 seconds"))
    }
    assert(rows.isEmpty)
    assert(counted === 0L)
  }

  test("a micro-batch that runs again writes its late rows once") {
    val folder = temporary()
    val source = new Source(Readings)
    val checkpoint = temporary()
    withConf(MuntinConf.StreamLateRows.key -> folder.toString) {
      def run(fails: Long => Boolean): Unit = {
        val counted = asked("SELECT *, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM t")(
          source.rows.withWatermark("t", "0 seconds")
        )
        new Answers(checkpoint).start(counted, Trigger.AvailableNow(), fails).awaitTermination()
      }
      source.add(batches.head)
      run(_ => false)
      source.add(batches(1))
      intercept[Exception](run(_ => true))
      assert(ids(found(folder)) === Seq(3, 4))
      run(_ => false)
    }
    assert(ids(found(folder)) === Seq(3, 4))
  }
}

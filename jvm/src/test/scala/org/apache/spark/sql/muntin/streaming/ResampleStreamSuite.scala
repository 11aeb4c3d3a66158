package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import io.muntin.Resampled
import io.muntin.functions.resample
import org.apache.spark.sql.{DataFrame => AnyFrame, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._

/** resample over streams: the results equal a batch, at the documented time. */
final class ResampleStreamSuite extends StreamSession {
  import StreamSession._

  /** Rows that are not strictly in order, with gaps; rows at one time have one value, or none. */
  private def rows(random: Random, count: Int): Seq[Row] = {
    var t = 0L
    Seq.tabulate(count) { i =>
      t += (if (random.nextInt(9) == 0) 60 else random.nextInt(6))
      val value = if (random.nextInt(4) == 0) null else (t * 37 % 101).toDouble / 8
      Row(if (i > count - 8) "k0" else s"k${random.nextInt(3)}", at(t), i, value)
    }
  }

  private val ways: Seq[(String, Resampled => AnyFrame)] =
    Seq("last", "next", "nearest", "linear").map { method =>
      s"fill $method" -> ((grid: Resampled) => grid.fill(method).drop("i"))
    } ++ Seq[(String, Resampled => AnyFrame)](
      "fill within" -> (_.fill("linear", "20 seconds").drop("i")),
      "agg" -> (_.agg(
        count("*").as("n"),
        sum("d"),
        expr("median(d)"),
        count_distinct(col("d")),
        expr("count(*) FILTER (WHERE d > 5)") + lit(1)
      )),
      "time_weighted_avg" -> (_.timeWeightedAvg("d")),
      "time_weighted_avg along lines" -> (_.timeWeightedAvg(Seq("d", "i"), "linear"))
    )

  private def grid(by: Seq[String], way: Resampled => AnyFrame)(rows: DataFrame): DataFrame = {
    val late = rows.withWatermark("t", "2 minutes")
    val numbers = if (by.isEmpty) late.drop("k") else late
    way(resample(numbers, "t", "7 seconds", by)).asInstanceOf[DataFrame]
  }

  for (((name, way), seed) <- ways.zipWithIndex; by <- Seq(Seq("k"), Nil))
    sampledTest(s"$name${if (by.isEmpty) ", no groups" else ""}: as a batch, when it is drained") {
      val random = new Random(seed)
      val all = rows(random, 60)
      val query = grid(by, way) _
      val (early, last) = drained(Readings, cut(random, all, 20, least = 5), drain = true)(query)
      assert(early.nonEmpty && last.nonEmpty)
      assert(shown(early ++ last) === shown(query(table(Readings, all)).collect().toSeq))
    }

  for (((name, way), seed) <- ways.zipWithIndex)
    sampledTest(s"$name: no other row is emitted before, over restarts and rows out of order") {
      val random = new Random(100 + seed)
      val all = rows(random, 50)
      val mixed = all.grouped(2).flatMap(random.shuffle(_)).toSeq
      val batches = cut(random, mixed, 7)
      val query = grid(Seq("k"), way) _
      val found = streamed(Readings, batches, chosen(random, batches))(query).flatten
      val wanted = shown(query(table(Readings, all)).collect().toSeq)
      assert(found.size > wanted.size / 3)
      assert(shown(found).diff(wanted) === Nil)
    }

  private val gauge = StructType(Seq(
    StructField("at", TimestampType),
    StructField("level", DoubleType)
  ))

  /** The results after each micro-batch of the page's table, and at its end: minutes and values. */
  private def page(asked: String): Seq[String] = {
    val readings = Seq(0L -> 10.0, 4L -> 18.0, 9L -> 20.0, 20L -> 22.0).map { case (t, x) =>
      Seq(Row(at(60L * t), x))
    }
    def query(rows: DataFrame): DataFrame = {
      rows.withWatermark("at", "0 minutes").createOrReplaceTempView("gauge")
      spark.sql(s"SELECT * FROM resample(TABLE(gauge), 'at', '2 minutes', $asked)")
    }
    def told(rows: Seq[Row]): String = rows
      .map(row => (row.getTimestamp(0).getTime - at(0L).getTime) / 60000L -> row.get(1))
      .sortBy(_._1).map { case (minute, x) => s"$x at $minute" }.mkString(", ")
    val found = streamed(gauge, readings)(query)
    val (early, last) = drained(gauge, readings, drain = true)(query)
    assert(found.flatten.diff(early ++ last) === Nil)
    found.dropRight(1).map(told) :+ told((early ++ last).diff(found.flatten))
  }

  for (
    (asked, wanted) <- Seq(
      "fill => 'last'" -> Seq(
        "",
        "10.0 at 0",
        "10.0 at 2, 18.0 at 4",
        "18.0 at 6, 18.0 at 8",
        "20.0 at 10, 20.0 at 12, 20.0 at 14, 20.0 at 16, 20.0 at 18, 22.0 at 20"
      ),
      "aggregates => 'count(*)'" -> Seq(
        "",
        "1 at 0",
        "0 at 2, 1 at 4",
        "0 at 6, 1 at 8",
        "0 at 10, 0 at 12, 0 at 14, 0 at 16, 0 at 18, 1 at 20"
      ),
      "time_weighted_avg => 'level'" -> Seq(
        "",
        "",
        "10.0 at 0",
        "10.0 at 2, 18.0 at 4",
        "18.0 at 6, 19.0 at 8, 20.0 at 10, 20.0 at 12, 20.0 at 14, 20.0 at 16, 20.0 at 18, " +
          "null at 20"
      )
    )
  ) sampledTest(s"the page's table: $asked", most = 3)(assert(page(asked) === wanted))

  test("a stream without a watermark is rejected, and so are windows over a grid's times") {
    val rows = new Source(Readings).rows
    def grid(of: AnyFrame) = resample(of, "t", "7 seconds", Seq("k"))
    Seq[Resampled => AnyFrame](_.fill(), _.agg(count("*")), _.timeWeightedAvg("d")).foreach { way =>
      assertRefused("MUNTIN_MISSING_WATERMARK", "time" -> "t")(way(grid(rows)))
    }
    val places = grid(rows.withWatermark("t", "1 minute")).fill()
    places.createOrReplaceTempView("places")
    assertRefused("MUNTIN_MISSING_WATERMARK", "function" -> "OVER") {
      spark.sql("SELECT sum(d) OVER (PARTITION BY k ORDER BY t) FROM places")
    }
  }
}

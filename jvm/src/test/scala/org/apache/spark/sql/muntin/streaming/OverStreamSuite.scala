package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row

/** Window functions over a stream: the results equal a batch over the same rows. */
final class OverStreamSuite extends StreamSession {
  import StreamSession.Readings

  override protected def isCompiled: Boolean = true

  /** Rows of a few keys that are out of order by up to 30 seconds, with ties and nulls. */
  private def rows(random: Random, count: Int): Seq[Row] =
    Seq.tabulate(count) { i =>
      val t = 3L * i + random.nextInt(30) - (if (random.nextInt(4) == 0) 3L * i % 2 else 0L)
      Row(
        if (random.nextInt(20) == 0) null else s"k${random.nextInt(3)}",
        at(t),
        i,
        if (random.nextInt(6) == 0) null
        else (random.nextGaussian() * 1e3 * math.pow(10, random.nextInt(6).toDouble))
      )
    }

  // Advances time past every frame.
  private val last = Row("end", at(1000000L), -1, 0.0)

  /** Functions over the windows of one PARTITION BY k, in one query. */
  private def check(title: String, seed: Int)(functions: (String, String)*): Unit =
    sampledTest(s"$title, $seed") {
      val random = new Random(seed.toLong)
      val all = rows(random, 120)
      val batches = cut(random, all, 40) :+ Seq(last)
      val restarts = chosen(random, batches)
      val columns = functions.zipWithIndex.map { case ((function, over), i) =>
        s"$function OVER (PARTITION BY k ORDER BY $over) AS r$i"
      }
      val query = asked(s"SELECT k, t, i, d, ${columns.mkString(", ")} FROM t") _
      val got =
        streamed(Readings, batches, restarts)(df => query(df.withWatermark("t", "1 minute")))
      val wanted = query(table(Readings, all :+ last)).collect().toSeq
      def told(rows: Seq[Row]) = rows.filter(_.getInt(2) >= 0).sortBy(_.getInt(2)).map(_.toString)
      assert(told(got.flatten) === told(wanted))
    }

  private val minute = "t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW"

  for (seed <- 1 to 2) {
    check("frames of time", seed)(
      "sum(d)" -> minute,
      "median(d)" -> minute,
      "framed(sum(d), closed => 'left')" -> minute,
      "framed(sum(d), exclude => 'current row')" -> minute,
      "max(d)" -> "t RANGE BETWEEN INTERVAL 30 SECONDS PRECEDING AND INTERVAL 10 SECONDS PRECEDING"
    )
    check("frames that look forward", seed)(
      "count(d)" -> "t RANGE BETWEEN INTERVAL 10 SECONDS PRECEDING AND INTERVAL 20 SECONDS FOLLOWING",
      "avg(d)" -> "t RANGE BETWEEN CURRENT ROW AND INTERVAL 20 SECONDS FOLLOWING"
    )
    check("frames of rows", seed)(
      "min(d)" -> "t, i ROWS BETWEEN 5 PRECEDING AND CURRENT ROW",
      "sum(d)" -> "t, i ROWS BETWEEN 5 PRECEDING AND CURRENT ROW",
      "count(DISTINCT d > 0)" -> "t, i ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING",
      "collect_list(i)" -> "t, i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
      "lag(i)" -> "t, i"
    )
    check("windows that move by rows", seed)(
      "sliding(sum(d), 4, d > 0)" -> "t, i",
      "sliding(avg(d), 4)" -> "t, i",
      "since(collect_list(i), d < 0)" -> "t, i",
      "since(sum(d), d < 0, 2)" -> "t, i",
      "since(collect_list(i), d < 0, closed => 'left')" -> "t, i",
      "since(sum(d), d < 0, 2, closed => 'left')" -> "t, i",
      "session(collect_list(i), INTERVAL 5 SECONDS)" -> "t, i",
      "session(max(d), 8)" -> "t, i",
      "session_number(8)" -> "t, i",
      "fill(d, 'last')" -> "t, i"
    )
  }
  check("ranks", 1)("row_number()" -> "t, i")
  check("ranks with peers", 2)("rank()" -> "t", "dense_rank()" -> "t")

  test("a gap is filled when the next value has arrived") {
    def row(t: Long, d: Any) = Seq(Row("k", at(t), t.toInt, d))
    val batches =
      Seq(row(0, 1.0), row(10, null), row(30, null), row(40, 5.0), row(90, null), Seq(last))
    val query = asked("SELECT k, i, fill(d) OVER (PARTITION BY k ORDER BY t) AS x FROM t") _
    val found = streamed(Readings, batches, Set(2)) { df =>
      query(df.withWatermark("t", "0 seconds"))
    }.flatten.filter(_.getString(0) == "k").map(r => (r.getInt(1), r.get(2)))
    // The last value, and the row after it, wait for the next value.
    assert(found === Seq((0, 1.0), (10, 2.0), (30, 4.0)))
  }

  sampledTest("a session's state is removed when the session is over, its number stays") {
    def row(k: String, t: Long) = Seq(Row(k, at(t), t.toInt, 1.0))
    def kept(function: String): (Seq[Any], Long) = {
      var (newest, rows) = (-1L, 0L)
      val batches =
        Seq(row("a", 0), row("a", 3), row("b", 60), row("b", 120), row("a", 180), Seq(last))
      val query =
        asked(s"SELECT k, i, $function OVER (PARTITION BY k ORDER BY t) AS x FROM t") _
      val found = streamed(
        Readings,
        batches,
        Set(3),
        seen = progress =>
          if (progress.batchId >= newest) {
            newest = progress.batchId
            rows = progress.stateOperators.map(_.numRowsTotal).sum
          }
      )(df => query(df.withWatermark("t", "0 seconds")))
      (found.flatten.filter(_.getString(0) == "a").map(_.get(2)), rows)
    }
    val (sums, ofSums) = kept("session(count(*), 10)")
    val (lists, ofLists) = kept("session(collect_list(i), 10)")
    val (numbers, ofNumbers) = kept("session_number(10)")
    assert(sums === Seq(1L, 2L, 1L))
    assert(lists === Seq(Seq(0), Seq(0, 3), Seq(180)))
    assert(numbers === Seq(1, 1, 2))
    assert(ofSums < ofNumbers && ofLists <= ofSums + 1)
  }

  private def refused(condition: String, sql: String, watermark: Boolean = true): Unit =
    assertRefused(condition)(streamed(Readings, Nil) { df =>
      asked(sql)(if (watermark) df.withWatermark("t", "1 minute") else df)
    })

  test("windows that a stream does not support, or with unbounded state, are rejected") {
    val sum = "SELECT sum(d) OVER"
    refused("MUNTIN_MISSING_WATERMARK", s"$sum (ORDER BY t) FROM t", watermark = false)
    refused(
      "MUNTIN_UNBOUNDED_FRAME_ON_STREAM",
      s"$sum (ORDER BY t ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM t"
    )
    refused("MUNTIN_UNBOUNDED_STATE_ON_STREAM", "SELECT median(d) OVER (ORDER BY t) FROM t")
    refused("MUNTIN_DESCENDING_TIME_ON_STREAM", s"$sum (ORDER BY t DESC) FROM t")
    refused("MUNTIN_NUMERIC_TIME_ON_STREAM", s"$sum (ORDER BY i) FROM t")
    refused("MUNTIN_MISSING_ORDER_BY_ON_STREAM", s"$sum (PARTITION BY k) FROM t")
  }
}

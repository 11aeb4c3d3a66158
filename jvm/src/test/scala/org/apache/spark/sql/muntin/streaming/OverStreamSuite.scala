package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.Instant

import scala.util.Random

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.types._

/** Window functions over a stream: what comes out is what a batch over the same rows has. */
final class OverStreamSuite extends StreamSession {
  private val schema = StructType(Seq(
    StructField("k", StringType),
    StructField("t", TimestampType),
    StructField("i", IntegerType),
    StructField("d", DoubleType)
  ))

  private val origin = Instant.parse("2024-01-01T00:00:00Z")

  private def at(seconds: Long): Timestamp = Timestamp.from(origin.plusSeconds(seconds))

  /** Rows of a few keys that come out of order by up to 30 seconds, with ties and nulls. */
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

  // Moves time past every frame.
  private val last = Row("end", at(1000000L), -1, 0.0)

  private def cut(random: Random, rows: Seq[Row]): Seq[Seq[Row]] =
    if (rows.isEmpty) Nil
    else {
      val (now, later) = rows.splitAt(random.nextInt(40))
      now +: cut(random, later)
    }

  private def check(function: String, over: String, seed: Int): Unit =
    test(s"$function OVER ($over), $seed") {
      val random = new Random(seed.toLong)
      val all = rows(random, 120)
      val batches = cut(random, all) :+ Seq(last)
      val restarts =
        if (seed == 3) Set.empty[Int] else batches.indices.filter(_ => random.nextInt(4) == 0).toSet
      def query(df: DataFrame): DataFrame = {
        df.createOrReplaceTempView("t")
        spark.sql(s"SELECT k, t, i, d, $function OVER (PARTITION BY k ORDER BY $over) AS r FROM t")
      }
      val streamedRows =
        streamed(schema, batches, restarts)(df => query(df.withWatermark("t", "1 minute")))
          .flatten
      val wanted = {
        val table = spark.createDataFrame(java.util.Arrays.asList(all :+ last: _*), schema)
        query(table).collect().toSeq
      }
      val own = (r: Row) => r.getInt(2)
      assert(
        streamedRows.filter(own(_) >= 0).sortBy(own).map(_.toString) ===
          wanted.filter(own(_) >= 0).sortBy(own).map(_.toString)
      )
    }

  for (seed <- 1 to 3) {
    check("sum(d)", "t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW", seed)
    check("min(d)", "t, i ROWS BETWEEN 5 PRECEDING AND CURRENT ROW", seed)
    check(
      "count(d)",
      "t RANGE BETWEEN INTERVAL 10 SECONDS PRECEDING AND INTERVAL 20 SECONDS FOLLOWING",
      seed
    )
    check(
      "max(d)",
      "t RANGE BETWEEN INTERVAL 30 SECONDS PRECEDING AND INTERVAL 10 SECONDS PRECEDING",
      seed
    )
    check("median(d)", "t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW", seed)
    check("collect_list(i)", "t, i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW", seed)
    check("lag(i)", "t, i", seed)
    check("sliding(sum(d), 4, d > 0)", "t, i", seed)
    check("sliding(avg(d), 4)", "t, i", seed)
    check("since(collect_list(i), d < 0)", "t, i", seed)
    check("since(sum(d), d < 0, 2)", "t, i", seed)
    check("row_number()", "t, i", seed)
    check("rank()", "t", seed)
    check("dense_rank()", "t", seed)
    check(
      "framed(sum(d), closed => 'left')",
      "t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW",
      seed
    )
    check(
      "framed(sum(d), exclude => 'current row')",
      "t RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW",
      seed
    )
  }

  private def refused(sql: String, watermark: Boolean = true): String =
    intercept[AnalysisException] {
      streamed(schema, Nil) { df =>
        (if (watermark) df.withWatermark("t", "1 minute") else df).createOrReplaceTempView("t")
        spark.sql(sql)
      }
    }.getMessage

  test("what cannot be run within bounds is refused, with what to write instead") {
    assert(refused("SELECT sum(d) OVER (ORDER BY t) FROM t", watermark = false)
      .contains("withWatermark(\"t\", \"10 minutes\")"))
    assert(refused(
      "SELECT sum(d) OVER (ORDER BY t ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM t"
    ).contains("waits for the last row"))
    assert(refused("SELECT median(d) OVER (ORDER BY t) FROM t").contains("for ever"))
    assert(refused("SELECT sum(d) OVER (ORDER BY t DESC) FROM t").contains("forward in time"))
    assert(refused("SELECT sum(d) OVER (ORDER BY i) FROM t").contains("TIMESTAMP"))
  }
}

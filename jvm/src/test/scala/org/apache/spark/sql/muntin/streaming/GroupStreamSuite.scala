package org.apache.spark.sql.muntin.streaming

import java.sql.Timestamp
import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import scala.util.Random

import org.apache.spark.sql.{Encoder, Encoders, Row}
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.{col, expr, udaf}
import org.apache.spark.sql.types._

/** Windows of groups over a stream: what comes out is what a batch with drain => false has. */
final class GroupStreamSuite extends StreamSession {
  import GroupStreamSuite._

  private val schema = StructType(Seq(
    StructField("k", StringType),
    StructField("t", TimestampType),
    StructField("i", IntegerType),
    StructField("d", DoubleType)
  ))

  private val origin = Instant.parse("2024-03-10T06:55:00Z")

  private def at(seconds: Double): Timestamp =
    Timestamp.from(origin.plus((seconds * 1e6).toLong, MICROS))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("decayed", udaf(Decayed)): Unit
  }

  /**
   * Rows of a few keys that come out of order by up to 30 seconds, with ties also at the edges of windows, and with
   * pauses in which some keys, or all, are quiet.
   */
  private def rows(random: Random, count: Int): Seq[Row] = {
    var time = 0.0
    Seq.tabulate(count) { i =>
      time += (if (random.nextInt(25) == 0) 100.0 else random.nextInt(6).toDouble)
      val t = time + random.nextInt(30)
      Row(
        // The third is quiet now and then.
        if (random.nextInt(20) == 0) null else s"k${if (i % 40 < 15) random.nextInt(2) else random.nextInt(3)}",
        at(if (random.nextInt(3) == 0) math.floor(t / 10.0) * 10.0 else t + random.nextInt(3) * 1e-6),
        i,
        if (random.nextInt(6) == 0) null
        else random.nextGaussian() * 1e3 * math.pow(10, random.nextInt(6).toDouble)
      )
    }
  }

  private def cut(random: Random, rows: Seq[Row]): Seq[Seq[Row]] =
    if (rows.isEmpty) Nil
    else {
      val (now, later) = rows.splitAt(1 + random.nextInt(50))
      now +: cut(random, later)
    }

  private val fully = Seq(
    "count(*)",
    "sum(d)",
    "max(i) FILTER (WHERE d > 0)",
    "median(d)",
    "sort_array(collect_list(i))",
    "count(DISTINCT k, cast(d as int) % 3)",
    "decayed(i)"
  )


  private def asked(df: DataFrame, window: String, functions: Seq[String]): DataFrame = {
    val all = functions.zipWithIndex.map { case (f, i) => expr(f).as(s"a$i") }
    df.groupBy(col("k"), expr(window).as("w")).agg(all.head, all.tail: _*)
  }

  private def check(window: String, functions: Seq[String], seed: Int): Unit =
    test(s"$window, ${functions.size} functions, $seed") {
      val random = new Random(seed.toLong)
      val all = rows(random, 150)
      // Time comes to here, past every row and not past every window.
      val end = all.map(_.getTimestamp(1)).maxBy(_.toInstant).toInstant.plusSeconds(1L + random.nextInt(40))
        .truncatedTo(java.time.temporal.ChronoUnit.MILLIS)
      val batches =
        cut(random, all) :+ Seq(Row("end", Timestamp.from(end.plusSeconds(60)), -1, 0.0))
      val restarts = batches.indices.filter(_ => random.nextInt(3) == 0).toSet
      val found = streamed(schema, batches, restarts) { df =>
        asked(df.withWatermark("t", "1 minute"), window, functions)
      }.flatten
      val wanted = {
        // No row can come any more up to the watermark.
        val last = Row("end", Timestamp.from(end.plus(1, MICROS)), -1, 0.0)
        val table = spark.createDataFrame(java.util.Arrays.asList(all :+ last: _*), schema)
        asked(table, window.dropRight(1) + ", drain => false)", functions)
          .where("k IS DISTINCT FROM 'end'").collect().toSeq
      }
      assert(wanted.nonEmpty)
      assert(found.map(_.toString).sorted === wanted.map(_.toString).sorted)
    }

  for (seed <- 1 to 2; functions <- Seq(fully)) {
    check("field_window(t, 30, 30)", functions, seed)
    check("field_window(t, 30, 10, 3)", functions, seed)
    check("field_window(t, 30, 7, open => 'all')", functions, seed)
    check("field_window(t, 30, 10, every => 4)", functions, seed)
    check("field_window(t, 20, 20, every => 5)", functions, seed)
    check("field_window(t, 45)", functions, seed)
    check("field_window(t, 45, every => 20)", functions, seed)
    check("ticks(t, 'minutely')", functions, seed)
    check("ticks(t, 'minutely', span => 3)", functions, seed)
    check("ticks(t, '*/7 1-3 * * *', 'America/New_York')", functions, seed)
  }
}

object GroupStreamSuite {

  /** A result that depends on the order in which rows are merged. */
  object Decayed extends Aggregator[Int, Double, Double] {
    override def zero: Double = 0.1
    override def reduce(sum: Double, value: Int): Double = sum + value / 3.0
    override def merge(a: Double, b: Double): Double = a + b
    override def finish(sum: Double): Double = sum
    override def bufferEncoder: Encoder[Double] = Encoders.scalaDouble
    override def outputEncoder: Encoder[Double] = Encoders.scalaDouble
  }
}

package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.{functions, Encoder, Encoders, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.expressions.Aggregator

/**
 * Random queries over streams in random micro-batches, some of them empty, with restarts: bit for bit what a batch
 * over the same rows has, but for rows that still wait. `-Dmuntin.first=n` and `-Dmuntin.streams=n` in the
 * test JVM's options choose which seeds there are.
 */
final class RandomStreamSuite extends StreamSession {
  private val first = Integer.getInteger("muntin.first", 1).intValue
  private val queries = Integer.getInteger("muntin.streams", 4).intValue

  override protected def settings: Map[String, String] =
    super.settings + ("spark.sql.ansi.enabled" -> "false")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    PlainSum.register(spark)
  }

  private def cut(random: Random, rows: Seq[Row]): Seq[Seq[Row]] =
    if (rows.isEmpty) Nil
    else {
      val (now, later) = rows.splitAt(if (random.nextInt(5) == 0) 0 else random.nextInt(90))
      now +: cut(random, later)
    }

  private def run(seed: Int): Unit = {
    val random = new Random(seed.toLong)
    val made = new RandomStreamQuery(random)
    val rows = made.rows(260)
    val batches = cut(random, rows) :+ Seq(made.last)
    val restarts = batches.indices.filter(_ => random.nextInt(4) == 0).toSet
    withClue(s"seed $seed, micro-batches of ${batches.map(_.size).mkString(", ")}, restarts at " +
      s"${restarts.toSeq.sorted.mkString(", ")}\n${made.sql}\n") {
      def query(df: DataFrame): DataFrame = {
        df.createOrReplaceTempView("t")
        spark.sql(made.sql)
      }
      val out = streamed(RandomStreamQuery.schema, batches, restarts) { df =>
        query(df.withWatermark("t", "1 minute"))
      }.flatten.filter(_.getInt(0) >= 0)
      val wanted = {
        val slice = spark.sparkContext.parallelize(rows :+ made.last, 1)
        query(spark.createDataFrame(
          slice,
          RandomStreamQuery.schema
        )).collect().toSeq.filter(_.getInt(0) >= 0)
      }
      val told = out.map(_.getInt(0)).toSet
      val twice = out.groupBy(_.getInt(0)).values.filter(_.size > 1).toSeq
      assert(
        twice.isEmpty,
        s"rows come out once; missing ${wanted.filterNot(r => told(r.getInt(0)))}"
      )
      val byId = (r: Row) => r.getInt(0)
      out.sortBy(byId).zip(wanted.filter(r => told(r.getInt(0))).sortBy(byId)).foreach {
        case (is, should) =>
          assert(Rendered(is) === Rendered(should))
      }
      // What is missing are the last rows of a group, of which the frames wait for more.
      wanted.groupBy(made.groupOf).values.foreach { group =>
        val inOrder = group.sortBy(r => (r.getTimestamp(3).getTime, r.getInt(0)))
        val waiting = inOrder.dropWhile(r => told(r.getInt(0)))
        assert(waiting.forall(r => !told(r.getInt(0))), "rows of a group come out in order")
        assert(made.mostWaiting.forall(waiting.size <= _), s"rows wait: $waiting")
      }
    }
  }

  (first until first + queries).foreach(seed => test(s"stream $seed")(run(seed)))
}

/** A sum of doubles that rounds at every step: it depends on what is merged with what. */
object PlainSum extends Aggregator[Option[Double], Double, Double] {
  override def zero: Double = 0.0
  override def reduce(sum: Double, value: Option[Double]): Double = sum + value.getOrElse(0.0)
  override def merge(a: Double, b: Double): Double = a + b
  override def finish(sum: Double): Double = sum
  override def bufferEncoder: Encoder[Double] = Encoders.scalaDouble
  override def outputEncoder: Encoder[Double] = Encoders.scalaDouble

  /** In SQL: `plain_sum(x)`. */
  def register(spark: org.apache.spark.sql.SparkSession): Unit =
    spark.udf.register("plain_sum", functions.udaf(this, ExpressionEncoder[Option[Double]]())): Unit
}

/** A value as text, equal for the same bits. */
object Rendered {
  def apply(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString("0x", ",", "")
    case row: Row => row.toSeq.map(apply).mkString("[", ", ", "]")
    case several: scala.collection.Seq[_] => several.map(apply).mkString("(", ", ", ")")
    case other => String.valueOf(other)
  }
}

// A user-defined aggregator in a sliding window: the most common category of the last 500 rows.
//
// It can remove a value again (Retracting), so each row is added once and removed once, for a
// window of any width. Compile and run it like quickstart.scala, with Muntin on the compiler's
// class path as well:
//
//     java -cp "$SPARK_HOME/jars/*:$(python -m muntin jar)" scala.tools.nsc.Main -usejavacp \
//         -d retracting.jar examples/retracting.scala
//     spark-submit --class MostCommon --jars "$(python -m muntin jar)" retracting.jar

import io.muntin.api.Retracting
import org.apache.spark.sql.{Encoder, Encoders, SparkSession}
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.udaf

/** How many rows of each category there are. */
case class Counts(of: Array[Long])

/** The most common of ten categories: a count for each, in whole numbers. */
object Commonest extends Aggregator[Int, Counts, Int] with Retracting[Int, Counts] {
  override def zero: Counts = Counts(new Array[Long](10))

  override def reduce(counts: Counts, category: Int): Counts = {
    counts.of(category) += 1
    counts
  }

  override def retract(counts: Counts, category: Int): Counts = {
    counts.of(category) -= 1
    counts
  }

  override def merge(left: Counts, right: Counts): Counts =
    Counts(left.of.zip(right.of).map { case (a, b) => a + b })

  override def finish(counts: Counts): Int = counts.of.indexOf(counts.of.max)

  // Encoders.kryo would work as well, except on Spark 4.0.0, which cannot send it to its tasks.
  override def bufferEncoder: Encoder[Counts] = Encoders.product[Counts]

  override def outputEncoder: Encoder[Int] = Encoders.scalaInt
}

object MostCommon {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().appName("retracting").getOrCreate()
    spark.udf.register("commonest", udaf(Commonest))

    // 100,000 events; their category drifts.
    spark
      .range(100000)
      .selectExpr("id", "cast((id div 10000 + pow(id * 7 % 11, 2)) % 10 AS int) AS category")
      .createOrReplaceTempView("events")

    val rolling = spark.sql("""
      SELECT id, category, commonest(category) OVER (ORDER BY id ROWS 499 PRECEDING) AS commonest
      FROM events
    """)
    rolling.orderBy("id").offset(54321).show(3)
    rolling.explain("formatted")
    spark.stop()
  }
}

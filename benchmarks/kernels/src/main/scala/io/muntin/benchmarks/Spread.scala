package io.muntin.benchmarks

import org.apache.spark.sql.{Encoder, Encoders, SparkSession}
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.udaf

/** What `Spread` has seen. */
final case class Ends(least: Double, greatest: Double)

/** An aggregator as users write them, which can be merged and no more: greatest minus least. */
object Spread extends Aggregator[Double, Ends, Double] {
  override def zero: Ends = Ends(Double.PositiveInfinity, Double.NegativeInfinity)

  override def reduce(ends: Ends, value: Double): Ends =
    Ends(math.min(ends.least, value), math.max(ends.greatest, value))

  override def merge(left: Ends, right: Ends): Ends =
    Ends(math.min(left.least, right.least), math.max(left.greatest, right.greatest))

  override def finish(ends: Ends): Double = ends.greatest - ends.least

  override def bufferEncoder: Encoder[Ends] = Encoders.product

  override def outputEncoder: Encoder[Double] = Encoders.scalaDouble

  /** As SQL's `spread`. */
  def register(spark: SparkSession): Unit =
    spark.udf.register("spread", udaf(this, Encoders.scalaDouble)): Unit
}

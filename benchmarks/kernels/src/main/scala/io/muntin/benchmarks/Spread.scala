package io.muntin.benchmarks

import org.apache.spark.sql.{Encoder, Encoders, SparkSession}
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.udaf

/** The state of `Spread`. */
final case class Ends(least: Double, greatest: Double)

/** A user-defined aggregator that can only be merged: the greatest value minus the least. */
object Spread extends Aggregator[Double, Ends, Double] {
  override def zero: Ends = Ends(Double.PositiveInfinity, Double.NegativeInfinity)

  override def reduce(ends: Ends, value: Double): Ends =
    Ends(math.min(ends.least, value), math.max(ends.greatest, value))

  override def merge(left: Ends, right: Ends): Ends =
    Ends(math.min(left.least, right.least), math.max(left.greatest, right.greatest))

  override def finish(ends: Ends): Double = ends.greatest - ends.least

  override def bufferEncoder: Encoder[Ends] = Encoders.product

  override def outputEncoder: Encoder[Double] = Encoders.scalaDouble

  /** Registers the aggregator as `spread` in SQL. */
  def register(spark: SparkSession): Unit =
    spark.udf.register("spread", udaf(this, Encoders.scalaDouble)): Unit
}

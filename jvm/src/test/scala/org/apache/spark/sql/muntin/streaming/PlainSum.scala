package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.{functions, Encoder, Encoders, SparkSession}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.expressions.Aggregator

/** A sum of doubles that rounds at every step, so it depends on the order of merges. */
object PlainSum extends Aggregator[Option[Double], Double, Double] {
  override def zero: Double = 0.0
  override def reduce(sum: Double, value: Option[Double]): Double = sum + value.getOrElse(0.0)
  override def merge(a: Double, b: Double): Double = a + b
  override def finish(sum: Double): Double = sum
  override def bufferEncoder: Encoder[Double] = Encoders.scalaDouble
  override def outputEncoder: Encoder[Double] = Encoders.scalaDouble

  /** In SQL: `plain_sum(x)`. */
  def register(spark: SparkSession): Unit =
    spark.udf.register("plain_sum", functions.udaf(this, ExpressionEncoder[Option[Double]]())): Unit
}

package org.apache.spark.sql.muntin

import org.apache.spark.sql.{functions, Encoder, Encoders, SparkSession}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.expressions.Aggregator

/** An aggregate that Spark's operator runs, because it declares itself nondeterministic. */
object SparksOwn {
  private object Total extends Aggregator[Option[Long], Long, Long] {
    override def zero: Long = 0L
    override def reduce(sum: Long, value: Option[Long]): Long = sum + value.getOrElse(0L)
    override def merge(a: Long, b: Long): Long = a + b
    override def finish(sum: Long): Long = sum
    override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }

  /** In SQL: `sparks_own(x)`. */
  def register(spark: SparkSession): Unit =
    spark.udf.register(
      "sparks_own",
      functions.udaf(Total, ExpressionEncoder[Option[Long]]()).asNondeterministic()
    ): Unit
}

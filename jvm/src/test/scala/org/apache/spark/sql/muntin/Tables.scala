package org.apache.spark.sql.muntin

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.types.StructType

/** Tables of rows that a test gives. */
object Tables {

  /**
   * The rows in `slices` partitions, as Spark itself holds rows: what Spark's own createDataFrame
   * makes is made of them anew in each task, by code that is written for each task, in a sixth of
   * the processor time of a small query.
   */
  def of(spark: SparkSession, rows: Seq[Row], schema: StructType, slices: Int = 1): DataFrame = {
    val made = ExpressionEncoder(schema, lenient = true).createSerializer()
    val held = rows.map(row => made(row).copy())
    spark.internalCreateDataFrame(spark.sparkContext.parallelize(held, slices), schema)
  }
}

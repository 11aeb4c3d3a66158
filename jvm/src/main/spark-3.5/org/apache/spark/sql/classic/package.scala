package org.apache.spark.sql

/** Names that Spark 4.0 moved to this package. */
package object classic {
  type SparkSession = org.apache.spark.sql.SparkSession
  type Dataset[T] = org.apache.spark.sql.Dataset[T]

  val Dataset: org.apache.spark.sql.Dataset.type = org.apache.spark.sql.Dataset
}

package org.apache.spark.sql

/** Names that Spark 4.0 moved to this package. */
package object classic {
  type SparkSession = org.apache.spark.sql.SparkSession
}

package org.apache.spark.sql

/** Names that Spark moved here with 4.0. */
package object classic {
  type SparkSession = org.apache.spark.sql.SparkSession
}

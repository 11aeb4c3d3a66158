package org.apache.spark.sql.muntin.spark

/** Whether windows over streams run: what they need came with Spark 4.0. */
object Streams {

  /** Why they do not run. */
  val refusal: Option[String] = None
}

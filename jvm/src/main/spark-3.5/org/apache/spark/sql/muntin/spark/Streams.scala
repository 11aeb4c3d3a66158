package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.AnalysisException

/** Whether windows over streams run: what they need came with Spark 4.0. */
object Streams {

  /** The error of a query with such windows, if they do not run. */
  def refusal: Option[AnalysisException] = Some(error)

  private[spark] def unsupported: Nothing = throw error

  private def error = new MuntinAnalysisException("MUNTIN_STREAMS_REQUIRE_SPARK_4")
}

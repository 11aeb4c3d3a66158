package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.AnalysisException

/** Support of windows over streams, which require Spark 4.0. */
object Streams {

  /** The error of a query with such windows, if they are not supported. */
  def refusal: Option[AnalysisException] = None
}

package org.apache.spark.sql.muntin.spark

import scala.annotation.unused

import org.apache.spark.sql.AnalysisException

/**
 * Spark's error of a window function whose OVER clause has no ORDER BY: before Spark 4.2 its
 * condition has no name.
 */
object UnorderedWindow {
  def apply(function: String, @unused call: String): AnalysisException = new AnalysisException(
    errorClass = "_LEGACY_ERROR_TEMP_1037",
    messageParameters = Map("wf" -> function)
  )
}

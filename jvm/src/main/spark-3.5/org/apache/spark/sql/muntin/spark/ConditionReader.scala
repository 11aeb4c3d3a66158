package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.AnalysisException

object ConditionReader {
  /** Returns the condition of an error, or None. Spark 3.5 calls it the error class. */
  def conditionOf(error: AnalysisException): Option[String] = Option(error.getErrorClass)
}

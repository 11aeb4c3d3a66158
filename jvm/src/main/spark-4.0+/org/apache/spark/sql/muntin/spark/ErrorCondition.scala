package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.AnalysisException

/** Spark's name for what is wrong, or none. */
object ErrorCondition {
  def of(error: AnalysisException): Option[String] = Option(error.getCondition)
}

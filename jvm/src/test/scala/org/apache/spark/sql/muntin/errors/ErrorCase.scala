package org.apache.spark.sql.muntin.errors

import org.apache.spark.sql.SparkSession

/**
 * A query or call that raises the error `condition` with at least these parameters.
 *
 * @param run
 *   raises the error, in a session with Muntin
 */
final case class ErrorCase(
    condition: String,
    parameters: Map[String, String],
    run: SparkSession => Any
)

object ErrorCase {

  /** Returns the case of a query that raises the error when it is analyzed, planned or run. */
  def sql(condition: String, text: String, parameters: (String, String)*): ErrorCase =
    ErrorCase(condition, parameters.toMap, _.sql(text).collect())
}

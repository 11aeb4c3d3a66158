package org.apache.spark.sql.muntin.spark

import org.apache.spark.SparkRuntimeException

/**
 * A SparkRuntimeException, as clients of Spark expect it, with a condition that Spark's own file
 * does not have. Spark's constructor looks up the condition in that file, so it gets one of
 * Spark's conditions; subclasses return the message, the SQLSTATE and the parameters.
 */
abstract class RuntimeExceptionWithCondition(condition: String, reason: Throwable)
    extends SparkRuntimeException(
      "INTERNAL_ERROR",
      Map("message" -> condition),
      reason,
      Array.empty,
      ""
    ) {
  override def getErrorClass: String = condition

  def getCondition: String = condition
}

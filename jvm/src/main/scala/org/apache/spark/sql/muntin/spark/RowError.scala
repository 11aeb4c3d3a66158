package org.apache.spark.sql.muntin.spark

import org.apache.spark.{SparkArithmeticException, SparkRuntimeException}

/** Errors of a query that runs, with Spark's own names for what is wrong. */
object RowError {

  /** A function does not take the value of a parameter. */
  def invalid(
      function: String,
      parameter: String,
      value: String,
      cause: Throwable
  ): RuntimeException = new SparkRuntimeException(
    errorClass = "INVALID_PARAMETER_VALUE.PATTERN",
    messageParameters = Map(
      "parameter" -> s"`$parameter`",
      "functionName" -> s"`$function`",
      "value" -> value
    ),
    cause = cause
  )

  /** A time does not fit its type. */
  def timeOverflow(operation: String): ArithmeticException = new SparkArithmeticException(
    errorClass = "DATETIME_OVERFLOW",
    messageParameters = Map("operation" -> operation),
    context = Array.empty,
    summary = ""
  )
}

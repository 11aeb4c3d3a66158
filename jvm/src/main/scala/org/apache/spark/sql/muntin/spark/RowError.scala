package org.apache.spark.sql.muntin.spark

import org.apache.spark.SparkArithmeticException

/** Errors of a running query, with Spark's own conditions. */
object RowError {

  /** A time does not fit its type. */
  def timeOverflow(operation: String): ArithmeticException = new SparkArithmeticException(
    errorClass = "DATETIME_OVERFLOW",
    messageParameters = Map("operation" -> operation),
    context = Array.empty,
    summary = ""
  )
}

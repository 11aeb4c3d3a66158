package io.muntin

import org.apache.spark.sql.muntin.spark.MuntinIllegalArgumentException

/** The error for a value that a function of the Scala API does not accept. */
private[muntin] object Invalid {
  def apply(
      function: String,
      parameter: String,
      argument: Any,
      expected: String
  ): IllegalArgumentException = new MuntinIllegalArgumentException(
    "MUNTIN_INVALID_ARGUMENT_VALUE",
    "function" -> function,
    "parameter" -> parameter,
    "argument" -> String.valueOf(argument),
    "expected" -> expected
  )
}

package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.muntin.errors.ShownFrames

/** The error for an argument that a function does not accept. */
object InvalidArgument {
  def apply(function: String, parameter: String, value: String): AnalysisException =
    new AnalysisException(
      errorClass = "INVALID_PARAMETER_VALUE.PATTERN",
      messageParameters = Map(
        "parameter" -> s"`$parameter`",
        "functionName" -> s"`$function`",
        "value" -> ShownFrames(value.stripSuffix("."))
      )
    )
}

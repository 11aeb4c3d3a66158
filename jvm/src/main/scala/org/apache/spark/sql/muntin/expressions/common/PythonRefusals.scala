package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Expression

/** Errors for Python aggregates with requests that Python does not support. */
private[muntin] object PythonRefusals {
  def distinct(function: String, aggregate: Expression): AnalysisException =
    InvalidArgument(
      function,
      "agg",
      s"${aggregate.sql}: Python's aggregates have no DISTINCT"
    )

  /**
   * Returns the error for arguments that have no pandas column; `what` is the aggregate, and the
   * reason.
   */
  def frames(function: String, what: String): AnalysisException =
    InvalidArgument(
      function,
      "agg",
      s"$what. Give it arguments that are no structs, arrays or maps"
    )
}

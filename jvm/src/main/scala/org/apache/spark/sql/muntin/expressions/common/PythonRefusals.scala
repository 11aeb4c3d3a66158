package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Expression

/** The errors of aggregates in Python that are asked for what Python does not have. */
private[muntin] object PythonRefusals {
  def distinct(function: String, aggregate: Expression): AnalysisException =
    InvalidArgument(
      function,
      "agg",
      s"${aggregate.sql}: Python's aggregates have no DISTINCT"
    )

  /** Of arguments that pandas has no column for; `what` is the aggregate, and why. */
  def frames(function: String, what: String): AnalysisException =
    InvalidArgument(
      function,
      "agg",
      s"$what. Give it arguments that are no structs, arrays or maps"
    )
}
